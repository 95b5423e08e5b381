import type { Location } from '@family-watch/domain/locations/contracts/location';
import { createLocalProjection } from '../geodesy.js';

/** A town, village or district. Coordinates of its centre in degrees. */
interface Town {
  name: string;
  /** ISO 3166-1 alpha-2 code. */
  country: string;
  population: number;
  latitude: number;
  longitude: number;
}

/** The town in which, or near which, a place is. */
export interface NearestTown {
  name: string;
  /** The large city to which the town belongs, or near which it is; null for the city itself and without one. */
  city: string | null;
  country: string;
  /** Metres from the centre of the town. */
  distance: number;
}

/** A town that is farther away says nothing about a place. Metres. */
const MAX_DISTANCE_METRES = 50_000;
const MAX_CITY_DISTANCE_METRES = 30_000;
const MIN_CITY_POPULATION = 300_000;
const METRES_PER_DEGREE = 111_000;

/** Finds the town nearest to a place. */
export class TownIndex {
  /** From south to north. */
  private readonly towns: readonly Town[];

  constructor(towns: readonly Town[]) {
    this.towns = towns.toSorted((one, other) => one.latitude - other.latitude);
  }

  findNearest(place: Pick<Location, 'latitude' | 'longitude'>): NearestTown | null {
    const project = createLocalProjection(place);
    const near = this.findInBand(Number(place.latitude))
      .map((town) => {
        const projected = project({ latitude: String(town.latitude), longitude: String(town.longitude) });
        return { town, distance: Math.hypot(...projected) };
      })
      .filter(({ distance }) => distance <= MAX_DISTANCE_METRES);
    const [first, ...others] = near;
    if (!first) return null;
    const { town, distance } = others.reduce((best, each) => (each.distance < best.distance ? each : best), first);
    const cities = near
      .filter((each) => each.distance <= MAX_CITY_DISTANCE_METRES && each.town.population >= MIN_CITY_POPULATION)
      .map((each) => each.town)
      .toSorted((one, other) => other.population - one.population);
    const [city = town] = cities;
    return {
      name: town.name,
      city: city === town ? null : city.name,
      country: town.country,
      distance: Math.round(distance),
    };
  }

  /** Returns the towns that are near enough by their latitude. */
  private findInBand(latitude: number): Town[] {
    const reach = MAX_DISTANCE_METRES / METRES_PER_DEGREE;
    return this.towns.slice(this.countBelow(latitude - reach), this.countBelow(latitude + reach));
  }

  private countBelow(latitude: number): number {
    let [low, high] = [0, this.towns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.towns[middle]?.latitude ?? latitude) < latitude) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
