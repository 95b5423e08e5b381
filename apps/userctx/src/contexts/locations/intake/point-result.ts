import type { Location } from '@family-watch/domain/locations/contracts/location';
import { POINT_REJECTION_REASON } from '@family-watch/domain/locations/contracts/validate-point';
import type { PointValidation, PointRejectionReason } from '@family-watch/domain/locations/contracts/validate-point';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location.dto';
import type { EffectiveBinding } from '../../watches/binding/watch-binding.service.js';
import { pointKeyOf } from '../point-key.js';
import type { AssessedPoint } from './point-assessment.js';

/** The outcome of one reported point. */
type PointOutcome = Omit<PointResultDto, 'index'>;

/** The stored point for each watch, time and point type, by `pointKeyOf`. */
export type StoredPointsByKey = ReadonlyMap<string, AssessedPoint>;

/** Returns whether the watch was bound to another child earlier and the point is older than the current binding. */
export function belongsToOtherChild(point: Location, { boundAt, wasBoundToOtherChild }: EffectiveBinding): boolean {
  return wasBoundToOtherChild && point.positionTime < boundAt;
}

export function toPointResult(
  validation: PointValidation,
  binding: EffectiveBinding,
  storedPoints: StoredPointsByKey,
): PointOutcome {
  if (!validation.isValid) return rejectedOutcome(validation.reason);
  const { point } = validation;
  if (belongsToOtherChild(point, binding)) return rejectedOutcome(POINT_REJECTION_REASON.NOT_BOUND_THEN);
  const stored = storedPoints.get(pointKeyOf({ did: binding.did, point }));
  if (!stored || !isSamePlace(stored.point, point))
    return rejectedOutcome(POINT_REJECTION_REASON.CONTRADICTS_STORED_POINT);
  return { accepted: true, flags: stored.flags, reason: null };
}

/** Compares degrees by value, because the database may store `-0` as `0`. */
export function isSamePlace(a: Location, b: Location): boolean {
  return (
    Number(a.latitude) === Number(b.latitude) && Number(a.longitude) === Number(b.longitude) && a.radius === b.radius
  );
}

function rejectedOutcome(reason: PointRejectionReason): PointOutcome {
  return { accepted: false, flags: [], reason };
}
