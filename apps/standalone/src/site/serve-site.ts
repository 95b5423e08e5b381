import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asyncApiDocument } from '@family-watch/gateway/documents/async-api';
import type { Environment } from '@family-watch/platform/config/environment';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { openApiDocument } from '@family-watch/platform/http/openapi/open-api-document';
import {
  CONSOLE_ASSETS,
  CONSOLE_CONFIG,
  CONSOLE_FILES,
  CONSOLE_MAP,
  CONSOLE_PAGES,
  ConsoleSite,
} from '../console/console-site.js';
import { MapFile } from '../console/map-file.js';
import { documentPages } from '../documents/document-pages.js';
import { DocumentSite, isDocumentPath } from '../documents/document-site.js';
import { isForMissingPage, Site } from './site.js';

/**
 * Serves the console at `/` and for pages that do not exist, `/docs` for people, and `/docs/openapi.json` and
 * `/docs/asyncapi.json` for tools.
 * @throws Error if MAP_FILE names no file
 */
export function serveSite(app: NestFastifyApplication, environment: Environment): void {
  // The files are read and created on the first request, so that the server starts faster.
  let site: Site | undefined;
  const map = MapFile.of(environment);
  const limiter = new RequestLimiter(environment);
  const respond = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const path = pathOf(request);
    limiter.consumeAddress('site', isDocumentPath(path) ? 'documents' : 'console', request.ip, reply);
    site ??= new Site(createDocumentSite(app), ConsoleSite.load(environment, map));
    reply.hijack();
    await site.serve(path, request.raw, reply.raw);
  };
  const fastify = app.getHttpAdapter().getInstance();
  for (const path of ['/', '/docs', '/docs/*', `${CONSOLE_ASSETS}*`, ...CONSOLE_FILES, CONSOLE_CONFIG, CONSOLE_MAP])
    fastify.get(path, respond);
  // Each request passes here, so that the hook is without a promise.
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.is404 && isForMissingPage(pathOf(request), request.raw)) respond(request, reply).catch(done);
    else done();
  });
  for (const page of CONSOLE_PAGES) fastify.get(page, respond).get(`${page}/*`, respond);
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

function createDocumentSite(app: NestFastifyApplication): DocumentSite {
  const documents = { 'openapi.json': openApiDocument(app), 'asyncapi.json': asyncApiDocument() };
  const files = documentPages();
  for (const [name, document] of Object.entries(documents)) files.set(name, Buffer.from(JSON.stringify(document)));
  return new DocumentSite(files);
}
