import { ERRORS } from '@tus/server';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** The tus server rejects an extension that it does not support with this status, although the request is at fault. */
const NOT_IMPLEMENTED = 501;

/** Error reasons of the service for the errors of the tus server. */
const REASON_BY_ERROR = new Map<unknown, ErrorReason>([
  [ERRORS.FILE_NOT_FOUND, 'UPLOAD_NOT_FOUND'],
  [ERRORS.INVALID_OFFSET, 'UPLOAD_OFFSET'],
  [ERRORS.ERR_SIZE_EXCEEDED, 'BODY_TOO_LARGE'],
  [ERRORS.INVALID_TERMINATION, 'UPLOAD_STATE'],
]);

/** Converts an error of the tus server to a ServiceError; errors of the program are returned unchanged. */
export function toServiceError(error: unknown): Error {
  const reason = REASON_BY_ERROR.get(error);
  if (reason) return new ServiceError(reason);
  const status = (error as { status_code?: unknown } | null)?.status_code;
  if (typeof status === 'number' && (status < 500 || status === NOT_IMPLEMENTED))
    return new ServiceError('MALFORMED_REQUEST', { cause: error });
  return error instanceof Error ? error : new Error('The tus server failed', { cause: error });
}

/** Returns the error for a response with which the tus server has rejected the headers of a request. */
export function toRejection(text: string): ServiceError {
  const details = [{ field: 'headers', rule: 'supported', message: text.trim() }];
  return new ServiceError('MALFORMED_REQUEST', { details });
}
