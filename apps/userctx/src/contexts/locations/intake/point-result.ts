import { POINT_REJECTION_REASON } from '@family-watch/domain/locations/contracts/validate-point';
import type { PointValidation, PointRejectionReason } from '@family-watch/domain/locations/contracts/validate-point';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location-report.dto';
import type { EffectiveBinding } from '../../watches/binding/binding-history.service.js';
import { pointKeyOf } from '../point-key.js';
import type { AssessedPoint } from './point-assessment.js';

/** What became of one reported point. */
type Verdict = Omit<PointResultDto, 'index'>;

/** What stands now at each moment and kind of fix of each watch, by `keyOf`. */
export type StoredPointsByKey = ReadonlyMap<string, AssessedPoint>;

/** A point of the time when the watch acted as another child, or as nobody since, is none of this family's business. */
export function belongsToOtherChild(point: Location, { boundAt, actedAsAnother }: EffectiveBinding): boolean {
  return actedAsAnother && point.positionTime < boundAt;
}

export function toPointResult(check: PointValidation, binding: EffectiveBinding, settled: StoredPointsByKey): Verdict {
  if (!check.ok) return refused(check.reason);
  const { point } = check;
  if (belongsToOtherChild(point, binding)) return refused(POINT_REJECTION_REASON.NOT_BOUND_THEN);
  const stored = settled.get(pointKeyOf({ did: binding.did, point }));
  if (!stored || !isSamePlace(stored.point, point)) return refused(POINT_REJECTION_REASON.CONTRADICTS_STORED_POINT);
  return { accepted: true, flags: stored.flags, reason: null };
}

/** Degrees are compared by value: the database may write `-0` as `0`. */
export function isSamePlace(a: Location, b: Location): boolean {
  return (
    Number(a.latitude) === Number(b.latitude) && Number(a.longitude) === Number(b.longitude) && a.radius === b.radius
  );
}

function refused(reason: PointRejectionReason): Verdict {
  return { accepted: false, flags: [], reason };
}
