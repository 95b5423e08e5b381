import { validationError } from '@family-watch/domain/kernel/contracts/service-error';

const HOUR_MS = 3_600_000;

/** From `from` (inclusive) to `to` (exclusive), Unix milliseconds. */
export interface Period {
  from: number;
  to: number;
}

/**
 * Checks that a period is not empty and not too long.
 * @param maxHours - maximum length
 * @throws ServiceError VALIDATION_FAILED
 */
export function assertPeriod({ from, to }: Period, maxHours = Infinity): void {
  if (to <= from) throw validationError('to', 'isAfterFrom', 'to must be later than from');
  if (to - from > maxHours * HOUR_MS)
    throw validationError('to', 'isNearFrom', `to must be at most ${maxHours} hours after from`);
}
