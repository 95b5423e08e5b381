/** Map services that open a location by a URL, in every browser. Amap is the one that works best in China. */
export const MAP_SERVICES = ['apple', 'google', 'amap', 'openStreetMap'] as const;
export type MapService = (typeof MAP_SERVICES)[number];

/**
 * Returns the URL with which each map service shows a location. Amap, whose maps use GCJ-02, converts WGS 84 by itself.
 * @param location - decimal degrees, WGS 84
 */
export function mapLinksOf({
  latitude,
  longitude,
}: {
  latitude: string;
  longitude: string;
}): Record<MapService, string> {
  const [lat, lon] = [encodeURIComponent(latitude), encodeURIComponent(longitude)];
  return {
    apple: `https://maps.apple.com/?q=${lat},${lon}`,
    google: `https://www.google.com/maps/search/?api=1&query=${lat},${lon}`,
    amap: `https://uri.amap.com/marker?position=${lon},${lat}&coordinate=wgs84`,
    openStreetMap: `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=17/${lat}/${lon}`,
  };
}
