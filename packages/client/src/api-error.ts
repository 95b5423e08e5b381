import { httpStatusOf, type ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import type { ErrorResponse } from '@family-watch/domain/messages/contracts/socket-events';

interface ApiErrorFields {
  /** HTTP status. For a socket response, the status is derived from the code. */
  status: number;
  /** Code of the error catalogue; 0 if the response did not come from the service, for example from a proxy. */
  code: number;
  /** Stable name of the error, which clients may rely on. */
  reason: ErrorReason | 'UNKNOWN';
  message: string;
  /** The rules that the request violates, if validation failed. */
  details?: ErrorDetail[];
  /** Seconds after which the client should retry. */
  retryAfter?: number;
}

/** Thrown when the service returns an error, over HTTP or the socket, on any surface. */
export class ApiError extends Error implements ApiErrorFields {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: number;
  readonly reason: ErrorReason | 'UNKNOWN';
  readonly details?: ErrorDetail[];
  readonly retryAfter?: number;

  constructor({ status, code, reason, message, details, retryAfter }: ApiErrorFields) {
    super(message);
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  /**
   * Parses an HTTP error response. The error text is in `message` or, for the family cloud, in `msg` (specification 7).
   */
  static async fromResponse(response: Response): Promise<ApiError> {
    const { status } = response;
    const body = await readObject(response);
    const { code = 0, reason = 'UNKNOWN', details } = body as Partial<ApiErrorFields>;
    const message =
      nonEmptyText(body['message']) ?? nonEmptyText(body['msg']) ?? `The service returned status ${status}`;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new ApiError({ status, code, reason, message, details, ...(seconds >= 0 ? { retryAfter: seconds } : {}) });
  }

  /** Converts the error response to a socket event. */
  static fromEventResponse({ code, reason, message, details, retryAfter }: Omit<ErrorResponse, 'ok'>): ApiError {
    return new ApiError({ status: httpStatusOf(code), code, reason, message, details, retryAfter });
  }
}

/**
 * Thrown when the service is unreachable or the connection is lost before the response. The outcome of the request is
 * unknown.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** Returns true if the same request may succeed later. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status === 502 || error.status === 503);
}

async function readObject(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
