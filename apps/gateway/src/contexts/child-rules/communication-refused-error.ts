import type { CommunicationRefusal } from '@family-watch/domain/child-rules/check-communication';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/**
 * Converts a refusal into an error. For a refusal because of school time, `details` contains the end of school time
 * (Unix milliseconds), and `retryAfter` is set.
 */
export function communicationRefusedError(refusal: CommunicationRefusal, field: string, now: number): ServiceError {
  if (refusal.reason !== 'SCHOOL_TIME') return new ServiceError(refusal.reason);
  const { until } = refusal;
  return new ServiceError('SCHOOL_TIME', {
    details: [{ field, rule: 'until', message: String(until) }],
    retryAfter: Math.max(1, Math.ceil((until - now) / 1_000)),
  });
}
