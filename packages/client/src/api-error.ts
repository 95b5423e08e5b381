import { httpStatusOf } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import type { ErrorResponse } from '@family-watch/domain/messages/contracts/socket-events';

interface ApiErrorFacts {
  /** HTTP status; of an answer over the socket, the one that HTTP would have had. */
  status: number;
  /** Number of the error catalogue; 0 where the answer was not one of the service (a proxy's page). */
  code: number;
  /** Stable name that programs may rely on. */
  reason: ErrorReason | 'UNKNOWN';
  message: string;
  /** The broken rules, where rules were broken. */
  details?: ErrorDetail[];
  /** Seconds after which a new try makes sense. */
  retryAfter?: number;
}

/** The service said no: over HTTP or the socket, on whichever surface. */
export class ApiError extends Error implements ApiErrorFacts {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: number;
  readonly reason: ErrorReason | 'UNKNOWN';
  readonly details?: ErrorDetail[];
  readonly retryAfter?: number;

  constructor({ status, code, reason, message, details, retryAfter }: ApiErrorFacts) {
    super(message);
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  /** Reads the error out of an HTTP answer; the text is `message` or, in the family cloud, `msg` (specification 7). */
  static async fromResponse(response: Response): Promise<ApiError> {
    const { status } = response;
    const body = await readObject(response);
    const { code = 0, reason = 'UNKNOWN', details } = body as Partial<ApiErrorFacts>;
    const message = textOf(body['message']) ?? textOf(body['msg']) ?? `The service answered ${status}`;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new ApiError({ status, code, reason, message, details, ...(seconds >= 0 ? { retryAfter: seconds } : {}) });
  }

  static fromEventResponse({ code, reason, message, details, retryAfter }: Omit<ErrorResponse, 'ok'>): ApiError {
    return new ApiError({ status: httpStatusOf(code), code, reason, message, details, retryAfter });
  }
}

/** Nobody answered, or the connection was lost before the answer: it is not known whether the request was carried out. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** True where the same request may succeed later without anything else being changed. */
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
