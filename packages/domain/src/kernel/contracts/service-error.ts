import { ERROR_CATALOGUE, httpStatusOf, type ErrorReason } from './error-catalogue.js';

/** A violated rule of a request: the field, the rule, and how to fix it. */
export interface ErrorDetail {
  field: string;
  rule: string;
  message: string;
}

export interface ServiceErrorOptions {
  details?: ErrorDetail[];
  /** Seconds after which the client may retry; sent as the HTTP header `Retry-After`. Status 503 has a default. */
  retryAfter?: number;
  cause?: unknown;
}

/** Without it, clients do not know whether a retry could succeed. */
const DEFAULT_RETRY_AFTER_SECONDS = 5;

/** An expected error, which each transport (HTTP, socket) converts to an error response. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: number;
  readonly details?: ErrorDetail[];
  readonly retryAfter?: number;

  constructor(
    readonly reason: ErrorReason,
    options: ServiceErrorOptions = {},
  ) {
    super(ERROR_CATALOGUE[reason].message, { cause: options.cause });
    this.code = ERROR_CATALOGUE[reason].code;
    this.details = options.details;
    this.retryAfter = options.retryAfter ?? (this.status === 503 ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
  }

  get status(): number {
    return httpStatusOf(this.code);
  }
}

/**
 * Creates the error RATE_LIMITED. Its `details` name the limit that is used up, so that a developer knows what to change.
 * @param limit stable name of the limit, such as `sms.phone`
 * @param retryAfter seconds after which the client may retry
 */
export function rateLimitedError(limit: string, retryAfter: number): ServiceError {
  return new ServiceError('RATE_LIMITED', {
    retryAfter,
    details: [{ field: 'limit', rule: limit, message: `the limit ${limit} is used up` }],
  });
}

/** Creates the error VALIDATION_FAILED for a request that violates one rule which DTO decorators cannot check. */
export function validationError(field: string, rule: string, message: string): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { details: [{ field, rule, message }] });
}
