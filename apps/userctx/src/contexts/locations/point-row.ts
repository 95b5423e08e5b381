import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { AssessedPoint } from './intake/point-assessment.js';
import { fromBits } from './point-flag-bits.js';

/** A stored point and the watch that reported it. */
export interface StoredPoint extends AssessedPoint {
  did: number;
  receivedAt: number;
}

/** A row of `userctx.location_point` as selected by {@link pointColumns}. */
export interface PointRow extends Location {
  did: number;
  flags: number;
  receivedAt: number;
}

/** Returns the select list for a point. `table`: the table's alias in the statement. */
export function pointColumns(table: string): string {
  return `${table}.did, ${table}.latitude, ${table}.longitude, ${table}.position_time as "positionTime", ${table}.radius,
    ${table}.point_type as "pointType", ${table}.flags, ${table}.received_at as "receivedAt"`;
}

export function toStoredPoint({ did, flags, receivedAt, ...point }: PointRow): StoredPoint {
  return { did, receivedAt, flags: fromBits(flags), point };
}
