import type { Location } from '@family-watch/domain/locations/contracts/location';

/** What a point is known by. */
export interface PointOfWatch {
  did: number;
  point: Pick<Location, 'positionTime' | 'pointType'>;
}

/** A watch has one fix of a kind at a moment. */
export type PointKey = `${number}/${number}/${number}`;

export function pointKeyOf({ did, point: { positionTime, pointType } }: PointOfWatch): PointKey {
  return `${did}/${positionTime}/${pointType}`;
}
