import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { GeolocateErrorDto } from '@family-watch/domain/positioning/dto/positioning.dto';
import type { ErrorFormat } from '@family-watch/platform/http/operation.decorator';

interface GeolocateProblem {
  domain: string;
  reason: string;
  message: string;
}

const PARSE_ERROR: GeolocateProblem = { domain: 'global', reason: 'parseError', message: 'Parse Error' };
const INVALID_KEY: GeolocateProblem = {
  domain: 'usageLimits',
  reason: 'keyInvalid',
  message: 'Missing or invalid API key.',
};
const UNAVAILABLE: GeolocateProblem = {
  domain: 'global',
  reason: 'serviceUnavailable',
  message: 'Service Unavailable',
};

/**
 * Maps error reasons of userctx to those of Ichnaea. The HTTP status is not mapped: a missing token leads to status 401
 * in userctx, and to 400 in Ichnaea.
 */
const PROBLEM_BY_REASON: Partial<Record<ErrorReason, GeolocateProblem>> = {
  POSITION_NOT_FOUND: { domain: 'geolocation', reason: 'notFound', message: 'Not found' },
  VALIDATION_FAILED: PARSE_ERROR,
  MALFORMED_JSON: PARSE_ERROR,
  BODY_TOO_COMPLEX: PARSE_ERROR,
  TOKEN_MISSING: INVALID_KEY,
  TOKEN_INVALID: INVALID_KEY,
  TOKEN_REVOKED: INVALID_KEY,
  RATE_LIMITED: { domain: 'usageLimits', reason: 'rateLimitExceeded', message: 'You have exceeded your rate limit.' },
  REVOCATIONS_STALE: UNAVAILABLE,
  DATABASE_UNAVAILABLE: UNAVAILABLE,
  OVERLOADED: UNAVAILABLE,
  INTERNAL: { domain: 'global', reason: 'internalError', message: 'Internal Error' },
};

/** Error format of Ichnaea's geolocate API. */
export const GEOLOCATE_ERRORS: ErrorFormat = {
  schema: GeolocateErrorDto,
  bodyOf({ reason, message, status }: ServiceError): GeolocateErrorDto {
    const problem = PROBLEM_BY_REASON[reason] ?? { domain: 'global', reason: 'badRequest', message };
    return { error: { errors: [problem], code: status, message: problem.message } };
  },
};
