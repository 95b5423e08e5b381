import type { Location } from '@family-watch/domain/locations/contracts/location';

/** The fields of a point that identify it. */
export interface PointOfWatch {
  did: number;
  point: Pick<Location, 'positionTime' | 'pointType'>;
}

/** Key made of watch, time and point type. A watch has at most one point of a type at any time. */
export type PointKey = `${number}/${number}/${number}`;

export function pointKeyOf({ did, point: { positionTime, pointType } }: PointOfWatch): PointKey {
  return `${did}/${positionTime}/${pointType}`;
}
