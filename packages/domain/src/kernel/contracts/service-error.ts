import { ERROR_CATALOGUE, httpStatusOf } from './error-catalogue.js';
import type { ErrorReason } from './error-catalogue.js';

/** One broken rule: which field, which rule, and what to do about it. */
export interface ErrorDetail {
  field: string;
  rule: string;
  message: string;
}

export interface ServiceErrorOptions {
  details?: ErrorDetail[];
  /** Seconds after which a new try makes sense; sent as Retry-After. */
  retryAfter?: number;
  cause?: unknown;
}

/** An expected refusal, thrown where it is known and turned into an answer in one place per transport. */
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
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return httpStatusOf(this.code);
  }
}

/** The refusal of a request that breaks one rule, where no decorator of its class could say so. */
export function validationError(field: string, rule: string, message: string): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { details: [{ field, rule, message }] });
}
