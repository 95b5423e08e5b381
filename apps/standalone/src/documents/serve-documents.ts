import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { asyncApiDocument } from '@family-watch/gateway/documents/async-api';
import { openApiDocument } from '@family-watch/platform/openapi/open-api-document';

/** Serves `/docs` for people, and `/docs/openapi.json` and `/docs/asyncapi.json` for tools. */
export function serveDocuments(app: NestFastifyApplication): void {
  // The document is created on the first request, so that the server starts faster.
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: 'Family Watch API',
  });
  const messages = JSON.stringify(asyncApiDocument());
  app
    .getHttpAdapter()
    .getInstance()
    .get('/docs/asyncapi.json', (_request, reply) => reply.type('application/json').send(messages));
}
