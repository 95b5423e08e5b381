import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { surfaceOf, SURFACE_PREFIXES } from '@family-watch/domain/kernel/contracts/surface';
import type { Surface } from '@family-watch/domain/kernel/contracts/surface';
import type { AllowedCallers } from '../http/operation.decorator.js';
import { ERROR_SCHEMAS, errorResponses } from './error-responses.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = { description: string; content?: Record<string, { schema: object }> };

type DocumentedMetadata = { access: AllowedCallers; errors: ErrorReason[]; errorSchema?: string };

const HTTP_METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;

/** The only operation that the specification lists under the path prefix `/hmd-wx/api/v2/` (4.3). */
const CONTACTS_UPDATE_PATH = 'user/device/contacts/update';

const API_DESCRIPTION = `Back end of a children's smart-watch service.

**Surfaces.** \`${SURFACE_PREFIXES.plain}…\` returns the response object itself and errors as \`{code, message, reason, details?}\`.
Each of these operations is also available under \`${SURFACE_PREFIXES.wrapped}…\`, wrapped as \`{code: 0, message: "ok", data}\`. Only the
contact update is listed there, as in the specification. \`${SURFACE_PREFIXES.cloud}…\` wraps responses as \`{code: 0, data, msg: "ok"}\`.

**Codes.** Success is HTTP 200. An error has its own HTTP status; \`code\` = status × 1000 + a number of the error catalogue, \`reason\` is its stable name.

**Unknown fields** are ignored. Integers are at most 2^53 − 1. Times are Unix milliseconds.`;

/**
 * Creates the OpenAPI 3 document of an application, whether or not the application is listening. Each operation
 * includes its envelope and errors.
 */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Family Watch')
    .setDescription(API_DESCRIPTION)
    .setVersion('2.0.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token (section 5)' })
    .build();
  const document = SwaggerModule.createDocument(app, config);
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const listedPath = path.endsWith(CONTACTS_UPDATE_PATH)
      ? path.replace(SURFACE_PREFIXES.plain, SURFACE_PREFIXES.wrapped)
      : path;
    for (const method of HTTP_METHODS) {
      const operation = item[method];
      if (operation) completeOperation(operation, surfaceOf(listedPath));
    }
    paths[listedPath] = item;
  }
  const schemas = { ...document.components?.schemas, ...ERROR_SCHEMAS };
  return { ...document, paths, components: { ...document.components, schemas } };
}

function completeOperation(operation: Operation, surface: Surface | undefined): void {
  const metadata = (operation as { 'x-family-watch'?: DocumentedMetadata })['x-family-watch'];
  if (!metadata) return;
  const responses = operation.responses as Record<string, Response>;
  const success = responses['200']?.content?.['application/json'];
  if (success) {
    success.schema = wrapInEnvelope(success.schema, surface);
    (responses['200'] as Response).description ||= 'Done';
  }
  Object.assign(responses, errorResponses({ ...metadata, surface, hasRequestBody: 'requestBody' in operation }));
}

function wrapInEnvelope(data: object, surface: Surface | undefined): object {
  if (surface !== 'wrapped' && surface !== 'cloud') return data;
  const text = surface === 'wrapped' ? 'message' : 'msg';
  return {
    type: 'object',
    required: ['code', 'data', text],
    properties: {
      code: { type: 'integer', example: 0 },
      [text]: { type: 'string', example: 'ok' },
      data,
    },
  };
}
