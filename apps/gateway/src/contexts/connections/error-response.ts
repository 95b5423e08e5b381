import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ErrorResponse } from '@family-watch/domain/messages/contracts/socket-events';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';

/** What is told of an error; everything that is not an expected refusal is INTERNAL and says nothing of itself. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof DatabaseUnavailableError) {
    return new ServiceError('DATABASE_UNAVAILABLE', { retryAfter: 2, cause: thrown });
  }
  return new ServiceError('INTERNAL', { cause: thrown });
}

/** The one place where an error becomes the answer of an event. */
export function toErrorResponse({ code, reason, message, details, retryAfter }: ServiceError): ErrorResponse {
  return {
    ok: false,
    code,
    reason,
    message,
    ...(details ? { details } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}
