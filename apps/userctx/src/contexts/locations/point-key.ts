import type { Location } from '@family-watch/domain/locations/contracts/location';

/** The part of a point that identifies it. */
export interface PointOfWatch {
  did: number;
  point: Pick<Location, 'positionTime' | 'pointType'>;
}

/** A watch has at most one point of a type at any time. */
export type PointKey = `${number}/${number}/${number}`;

export function pointKeyOf({ did, point: { positionTime, pointType } }: PointOfWatch): PointKey {
  return `${did}/${positionTime}/${pointType}`;
}
