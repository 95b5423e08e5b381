import { ERROR_CATALOGUE, httpStatusOf } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { Surface } from '@family-watch/domain/kernel/contracts/surface';
import type { AllowedCallers } from '../http/operation.decorator.js';

const OF_EVERY_CALLER: readonly ErrorReason[] = ['VALIDATION_FAILED', 'RATE_LIMITED', 'DATABASE_UNAVAILABLE'];
const OF_TOKENS: readonly ErrorReason[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'TOKEN_REVOKED',
  'FORBIDDEN',
  'REVOCATIONS_STALE',
];
const OF_BODIES: readonly ErrorReason[] = [
  'MALFORMED_JSON',
  'BODY_TOO_COMPLEX',
  'BODY_TOO_LARGE',
  'MEDIA_TYPE_UNSUPPORTED',
];

const COMMON = {
  code: { type: 'integer', description: 'HTTP status × 1000 + a number of the catalogue' },
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
    properties: { ...COMMON, message: { type: 'string' } },
  },
  WrappedError: {
    type: 'object',
    required: ['code', 'message', 'data', 'reason'],
    properties: { ...COMMON, message: { type: 'string' }, data: { type: 'object', nullable: true } },
  },
  CloudError: {
    type: 'object',
    required: ['code', 'data', 'msg', 'reason'],
    properties: { ...COMMON, msg: { type: 'string' }, data: { type: 'object', nullable: true } },
  },
};

const SCHEMA_OF = { plain: 'PlainError', wrapped: 'WrappedError', cloud: 'CloudError' } as const;

export interface ErrorResponseContext {
  access: AllowedCallers;
  errors: readonly ErrorReason[];
  surface: Surface | undefined;
  takesBody: boolean;
  /** Of a protocol that is not ours; its class carries the example. */
  errorSchema?: string;
}

/** One response per status that the operation can answer, with an example for each reason. */
export function errorResponses(facts: ErrorResponseContext): Record<string, object> {
  const { access, errors, surface = 'plain', takesBody, errorSchema } = facts;
  const reasons = new Set([
    ...errors,
    ...OF_EVERY_CALLER,
    ...(access === 'public' ? [] : OF_TOKENS),
    ...(takesBody ? OF_BODIES : []),
  ]);
  const byStatus = Map.groupBy(reasons, (reason) => httpStatusOf(ERROR_CATALOGUE[reason].code));
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      String(status),
      {
        description: ofStatus.join(', '),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${errorSchema ?? SCHEMA_OF[surface]}` },
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
