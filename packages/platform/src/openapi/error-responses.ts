import { ERROR_CATALOGUE, httpStatusOf } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { Surface } from '@family-watch/domain/kernel/contracts/surface';
import type { AllowedCallers } from '../http/operation.decorator.js';

const COMMON_ERRORS: readonly ErrorReason[] = ['VALIDATION_FAILED', 'RATE_LIMITED', 'DATABASE_UNAVAILABLE'];
const TOKEN_ERRORS: readonly ErrorReason[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'TOKEN_REVOKED',
  'FORBIDDEN',
  'REVOCATIONS_STALE',
];
const BODY_ERRORS: readonly ErrorReason[] = [
  'MALFORMED_JSON',
  'BODY_TOO_COMPLEX',
  'BODY_TOO_LARGE',
  'MEDIA_TYPE_UNSUPPORTED',
];

const COMMON_PROPERTIES = {
  code: { type: 'integer', description: 'HTTP status × 1000 + a number of the error catalogue' },
  reason: { type: 'string', enum: Object.keys(ERROR_CATALOGUE) },
  details: { type: 'array', items: { $ref: '#/components/schemas/ErrorDetail' } },
};

/** Error bodies of the three surfaces (specification 7). */
export const ERROR_SCHEMAS = {
  ErrorDetail: {
    type: 'object',
    required: ['field', 'rule', 'message'],
    properties: { field: { type: 'string' }, rule: { type: 'string' }, message: { type: 'string' } },
  },
  PlainError: {
    type: 'object',
    required: ['code', 'message', 'reason'],
    properties: { ...COMMON_PROPERTIES, message: { type: 'string' } },
  },
  WrappedError: {
    type: 'object',
    required: ['code', 'message', 'data', 'reason'],
    properties: { ...COMMON_PROPERTIES, message: { type: 'string' }, data: { type: 'object', nullable: true } },
  },
  CloudError: {
    type: 'object',
    required: ['code', 'data', 'msg', 'reason'],
    properties: { ...COMMON_PROPERTIES, msg: { type: 'string' }, data: { type: 'object', nullable: true } },
  },
};

const SCHEMA_BY_SURFACE = { plain: 'PlainError', wrapped: 'WrappedError', cloud: 'CloudError' } as const;

export interface ErrorResponseContext {
  access: AllowedCallers;
  errors: readonly ErrorReason[];
  surface: Surface | undefined;
  hasRequestBody: boolean;
  /** Schema of an external protocol's error body; its class provides the example. */
  errorSchema?: string;
}

/** Returns one response per status that the operation can return, with an example for each reason. */
export function errorResponses(context: ErrorResponseContext): Record<string, object> {
  const { access, errors, surface = 'plain', hasRequestBody, errorSchema } = context;
  const reasons = new Set([
    ...errors,
    ...COMMON_ERRORS,
    ...(access === 'public' ? [] : TOKEN_ERRORS),
    ...(hasRequestBody ? BODY_ERRORS : []),
  ]);
  const byStatus = Map.groupBy(reasons, (reason) => httpStatusOf(ERROR_CATALOGUE[reason].code));
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      String(status),
      {
        description: ofStatus.join(', '),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${errorSchema ?? SCHEMA_BY_SURFACE[surface]}` },
            ...(errorSchema ? {} : { examples: examplesOf(ofStatus, surface) }),
          },
        },
      },
    ]),
  );
}

function examplesOf(reasons: readonly ErrorReason[], surface: Surface): Record<string, object> {
  return Object.fromEntries(reasons.map((reason) => [reason, { value: exampleOf(reason, surface) }]));
}

function exampleOf(reason: ErrorReason, surface: Surface): object {
  const { code, message } = ERROR_CATALOGUE[reason];
  const details = reason === 'VALIDATION_FAILED' ? { details: [EXAMPLE_DETAIL] } : {};
  if (surface === 'cloud') return { code, data: null, msg: message, reason, ...details };
  return { code, message, ...(surface === 'wrapped' ? { data: null } : {}), reason, ...details };
}

const EXAMPLE_DETAIL = {
  field: 'name',
  rule: 'minLength',
  message: 'name must be longer than or equal to 1 characters',
};
