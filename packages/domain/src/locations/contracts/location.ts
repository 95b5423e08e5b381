/** How a location was determined (specification 2.3). */
export const POINT_TYPE = { UNKNOWN: 0, GPS: 1, WIFI: 2, CELL: 3, IP: 4 } as const;
export type PointType = (typeof POINT_TYPE)[keyof typeof POINT_TYPE];

/** Location (specification 2.3): decimal degrees (WGS 84) as text, Unix milliseconds, radius in metres. */
export interface Location {
  latitude: string;
  longitude: string;
  positionTime: number;
  radius: number;
  pointType: PointType;
}
