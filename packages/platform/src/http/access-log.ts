import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from '../observability/logger.js';
// Adds `principal` to the type of Fastify's request.
import type {} from './caller.decorator.js';

/** Prefixes of the health checks, which load balancers request every few seconds, and of operations between apps. */
const QUIET_PREFIXES = ['/health/', '/internal/'];

/**
 * Writes one line per request, at level `info` (health checks and operations between apps: `debug`). The line has the
 * pattern of the route and the kind of caller: never a path, a query, an id of a person or family, or an address. An
 * unknown path has no route.
 */
export function logRequests(app: NestFastifyApplication, logger: Logger): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  fastify.addHook('onResponse', ({ id, method, routeOptions: { url: route }, principal }, reply, done) => {
    const level = QUIET_PREFIXES.some((prefix) => route?.startsWith(prefix)) ? 'debug' : 'info';
    logger[level](
      {
        requestId: id,
        method,
        route,
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
        caller: principal?.type ?? 'public',
      },
      'Request completed',
    );
    done();
  });
}
