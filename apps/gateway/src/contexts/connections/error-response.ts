import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ErrorResponse } from '@family-watch/domain/messages/contracts/socket-events';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-errors';

/** Converts any error into the error that the client receives. Unexpected errors become INTERNAL without details. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof DatabaseUnavailableError) {
    return new ServiceError('DATABASE_UNAVAILABLE', { retryAfter: 2, cause: thrown });
  }
  return new ServiceError('INTERNAL', { cause: thrown });
}

/**
 * Converts an error into the response of a socket event. All error responses of the socket are created by this
 * function.
 */
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
