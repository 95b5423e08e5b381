import { validationError } from '@family-watch/domain/kernel/contracts/service-error';

const HOUR = 3_600_000;

/** From `from` (inclusive) to `to` (exclusive), Unix milliseconds. */
export interface Period {
  from: number;
  to: number;
}

/**
 * @param hours - how long it may be
 * @throws ServiceError VALIDATION_FAILED
 */
export function assertPeriod({ from, to }: Period, hours = Infinity): void {
  if (to <= from) throw validationError('to', 'isAfterFrom', 'to must be later than from');
  if (to - from > hours * HOUR)
    throw validationError('to', 'isNearFrom', `to must be at most ${hours} hours after from`);
}
