import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { APP_VERSION_HEADER } from '@family-watch/domain/operators/contracts/app-release';
import type { AllowedMethods } from './routes.js';

/** Headers that a web page may send besides those that every page may send (Fetch standard, CORS-safelisted). */
const REQUEST_HEADERS = [
  'accessToken', // The specification's sample sends it (4.2); it is ignored.
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Range',
  'X-Request-Id',
  APP_VERSION_HEADER,
  'Tus-Resumable',
  'Upload-Checksum',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
];

/** Headers of responses that the scripts of a page may read besides the safelisted ones. */
const RESPONSE_HEADERS = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Retry-After',
  'X-RateLimit-Remaining',
  'X-Request-Id',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Offset',
  'Upload-Receipt',
];

/** Seconds for which a browser keeps the response to a preflight request; browsers have lower maximums of their own. */
const PREFLIGHT_MAX_AGE_SECONDS = 7_200;

/**
 * Allows web pages of the listed origins to call the service (CORS_ORIGINS; Fetch standard, HTTP-CORS protocol).
 * Requests are authorized by their token, so no cookies or other credentials of the browser are allowed.
 */
export function allowCrossOriginRequests(
  fastify: FastifyInstance,
  origins: ReadonlySet<string>,
  allowedMethods: AllowedMethods,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    // On the raw response, so that responses which bypass Fastify (files, documents) have these headers too.
    reply.raw.appendHeader('vary', 'Origin');
    if (origin === undefined || !origins.has(origin)) return done();
    reply.raw.setHeader('access-control-allow-origin', origin);
    reply.raw.setHeader('access-control-expose-headers', RESPONSE_HEADERS.join(', '));
    const methods = isPreflight(request) ? allowedMethods.of(request.url) : [];
    // A preflight request for an unknown path gets the same error as the request itself.
    if (methods.length === 0) return done();
    respondToPreflight(reply, methods);
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function respondToPreflight(reply: FastifyReply, methods: readonly string[]): void {
  void reply
    .code(204)
    .headers({
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': REQUEST_HEADERS.join(', '),
      'access-control-max-age': PREFLIGHT_MAX_AGE_SECONDS,
    })
    .send();
}
