import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, httpStatusOf, type ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { surfaceOf, SURFACE_PREFIXES, type Surface } from '@family-watch/domain/kernel/contracts/surface';
import type { PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { PRODUCT_VERSION } from '../../config/product-version.js';
import type { AllowedCallers } from '../operation.decorator.js';
import { allowNullInOptionalRequestFields } from './optional-request-fields.js';
import { exampleOfSchema } from './schema-example.js';
import { TAG_GROUPS, TAGS } from './tags.js';

const COMMON_ERRORS: readonly ErrorReason[] = [
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'TOO_MANY_CONCURRENT_REQUESTS',
  'DATABASE_UNAVAILABLE',
  'OVERLOADED',
  'SERVICE_UNAVAILABLE',
];
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
const ERROR_SCHEMAS = {
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
  /** Name of the schema of an external protocol's error body; the class of the schema provides the example. */
  errorSchema?: string;
}

/** Returns one response per status that the operation can return, with an example for each reason. */
function errorResponses(context: ErrorResponseContext): Record<string, object> {
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

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = { description: string; content?: Record<string, { schema: object }> };

type RequestBody = { content: Record<string, { schema: object; example?: unknown; examples?: object }> };
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

type DocumentedMetadata = { access: AllowedCallers; errors: ErrorReason[]; errorSchema?: string };

const CALLER_NAMES: Readonly<Record<Exclude<PrincipalType, 'operator'>, string>> = { user: 'users', watch: 'watches' };

const HTTP_METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;

/** The only operation that the specification lists under the path prefix `/hmd-wx/api/v2/` (4.3). */
const CONTACTS_UPDATE_PATH = 'user/device/contacts/update';

const API_DESCRIPTION = `Back end of a children's smart-watch service.

**Surfaces.** \`${SURFACE_PREFIXES.plain}…\` returns the response object itself and errors as \`{code, message, reason, details?}\`.
Each of these operations is also available under \`${SURFACE_PREFIXES.wrapped}…\`, wrapped as \`{code: 0, message: "ok", data}\`. Only the
contact update is listed there, as in the specification. \`${SURFACE_PREFIXES.cloud}…\` wraps responses as \`{code: 0, data, msg: "ok"}\`.

**Callers.** The description of an operation ends with its callers: users (persons with the token of a sign-in), watches
(with a token of \`watch/token/create\`), operators with one of the named roles, or everybody. Other callers get FORBIDDEN. A watch acts for the child to whom it is bound; until then, most of its operations respond WATCH_UNBOUND.

**Roles and permissions.** A member of a family has one role. The owner has all permissions. A guardian and a caregiver have
permissions, for all children or for single ones: LOCATION (locations and fences), CHAT, CALL (video calls), ALERTS (SOS), CLOUD
(files that the child's watch added); a guardian can also have SETTINGS (changes of the child, its contacts, fences and settings) and
REMOTE (commands to the watch). A guardian always has LOCATION and CHAT. A contact has CHAT and can have CALL. The child, its watch,
contacts and settings are visible to the owner, to guardians, and to caregivers with any permission for the child. A member
without the permission gets PERMISSION_MISSING. An object of another family is reported as unknown (404, for example
CHILD_NOT_FOUND).

**Specification.** "Specification 4.1" and the like name a section of the interface specification that the operation implements.
Nothing of it is needed to use the operation.

**Codes.** Success is HTTP 200; tus, ranges and conditional requests have the statuses of their protocols. An error has its own
HTTP status; \`code\` = status × 1000 + a number of the error catalogue, \`reason\` is its stable name.

**Absent and null.** In a request, \`null\` in an optional field is the same as an omitted field, which leaves a value unchanged. In an update, \`null\` clears a field where the description says so. In a required field, \`null\` is an error.

**Identifiers** that are UUIDs are accepted in lower and in upper case; responses contain them in lower case.

**Names** are stored in Unicode normalization form C, in which responses contain them. A name without a visible character,
such as one of blanks only, counts as empty.

**Phone numbers** may contain digits of any script, spaces, hyphens, brackets and invisible characters, as phones copy them.
Responses contain ASCII digits. The number of a child has exactly the pattern of its field.

**Unknown fields** are ignored. Integers are at most 2^53 − 1. Times are Unix milliseconds.`;

/**
 * Creates the OpenAPI 3 document of an application; the application need not listen. Each operation includes its
 * envelope and its errors.
 */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Family Watch')
    .setDescription(API_DESCRIPTION)
    .setVersion(PRODUCT_VERSION)
    .setLicense('Proprietary', '/docs/LICENSE.txt')
    .addServer('/', 'The service that returned this document')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The accessToken of sign-up, sign-in, token/refresh or watch/token/create',
    })
    .build();
  const document = SwaggerModule.createDocument(app, config);
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const listedPath = path.endsWith(CONTACTS_UPDATE_PATH)
      ? path.replace(SURFACE_PREFIXES.plain, SURFACE_PREFIXES.wrapped)
      : path;
    for (const method of HTTP_METHODS) {
      const operation = item[method];
      if (operation) completeOperation(operation, surfaceOf(listedPath), document.components?.schemas ?? {});
    }
    paths[listedPath] = item;
  }
  const schemas = { ...document.components?.schemas, ...ERROR_SCHEMAS };
  const tags = { tags: [...TAGS], 'x-tagGroups': TAG_GROUPS };
  const complete = { ...document, ...tags, paths, components: { ...document.components, schemas } };
  allowNullInOptionalRequestFields(complete);
  return complete;
}

function completeOperation(operation: Operation, surface: Surface | undefined, schemas: Schemas): void {
  const metadata = (operation as { 'x-family-watch'?: DocumentedMetadata })['x-family-watch'];
  if (!metadata) return;
  // A public operation says that it needs no token; without `security`, generators would take it for an omission.
  operation.security ??= [];
  const body = (operation.requestBody as RequestBody | undefined)?.content['application/json'];
  if (body && !body.examples) body.example = exampleOfSchema(body.schema, schemas);
  operation.description = [operation.description, `**Callers:** ${describeCallers(metadata.access)}.`]
    .filter(Boolean)
    .join('\n\n');
  const responses = operation.responses as Record<string, Response>;
  const success = responses['200']?.content?.['application/json'];
  if (success) {
    success.schema = wrapInEnvelope(success.schema, surface);
    (responses['200'] as Response).description ||= 'Done';
  }
  Object.assign(responses, errorResponses({ ...metadata, surface, hasRequestBody: 'requestBody' in operation }));
}

function describeCallers(access: AllowedCallers): string {
  if (access === 'public') return 'everybody, no token is needed';
  if ('operatorRoles' in access) return `operators with one of the roles ${access.operatorRoles.join(', ')}`;
  return access.map((type) => CALLER_NAMES[type]).join(' and ');
}

function wrapInEnvelope(data: object, surface: Surface | undefined): object {
  if (surface !== 'wrapped' && surface !== 'cloud') return data;
  const messageField = surface === 'wrapped' ? 'message' : 'msg';
  return {
    type: 'object',
    required: ['code', 'data', messageField],
    properties: {
      code: { type: 'integer', example: 0 },
      [messageField]: { type: 'string', example: 'ok' },
      data,
    },
  };
}
