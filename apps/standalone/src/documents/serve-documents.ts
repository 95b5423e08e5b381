import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asyncApiDocument } from '@family-watch/gateway/documents/async-api';
import type { Environment } from '@family-watch/platform/config/environment';
import { ipBlock } from '@family-watch/platform/http/ip-block';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { openApiDocument } from '@family-watch/platform/openapi/open-api-document';
import { documentPages } from './document-pages.js';
import { DocumentSite } from './document-site.js';

/** Serves the start page at `/`, `/docs` for people, and `/docs/openapi.json` and `/docs/asyncapi.json` for tools. */
export function serveDocuments(app: NestFastifyApplication, environment: Environment): void {
  // The documents are created on the first request, so that the server starts faster.
  let site: DocumentSite | undefined;
  const limiter = new RequestLimiter(environment);
  const respond = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await limiter.consume('address', `documents ${ipBlock(request.ip)}`, reply);
    site ??= createSite(app);
    reply.hijack();
    const [path = ''] = request.url.split('?', 1);
    await site.serve(path, request.raw, reply.raw);
  };
  app.getHttpAdapter().getInstance().get('/', respond).get('/docs', respond).get('/docs/*', respond);
}

function createSite(app: NestFastifyApplication): DocumentSite {
  const documents = { 'openapi.json': openApiDocument(app), 'asyncapi.json': asyncApiDocument() };
  const files = documentPages();
  for (const [name, document] of Object.entries(documents)) files.set(name, Buffer.from(JSON.stringify(document)));
  return new DocumentSite(files);
}
