import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SpanStatusCode, type Span } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../observability/logger.js';
import { appForPath } from './route-table.js';
import { operationOf, type OperationMetadata } from './operation.decorator.js';
import { counter, histogram } from '../observability/instruments.js';
import { runInSpan, startSpan } from '../observability/tracing.js';
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

const DURATION = histogram('http_request_duration_seconds', 'Duration of requests by operation and class of status.', [
  'app',
  'operation',
  'status',
]);
const UNMATCHED = counter('http_unmatched_requests_total', 'Requests for paths without an operation.', []);

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'];

/** Observes the seconds that requests of one operation took, by the class of the response's status (status / 100). */
type RequestMeter = readonly { observe(seconds: number): void }[];

interface MeteredConfig {
  operation?: OperationMetadata;
  meter?: RequestMeter;
}

/**
 * Measures the requests of each operation. Routes that belong to no app (health checks, operations between apps,
 * documents) are not measured. Must be called before the routes are registered.
 */
export function measureRequests(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', (route) => {
    const { operation } = (route.config ?? {}) as MeteredConfig;
    const name = appForPath(route.url);
    if (!name || !operation) return;
    const meter: RequestMeter = STATUS_CLASSES.map((status) => DURATION.labels(name, operation.id, status));
    route.config = Object.assign({}, route.config, { meter });
  });
  fastify.addHook('onResponse', ({ routeOptions: { url, config } }, { statusCode, elapsedTime }, done) => {
    (config as MeteredConfig).meter?.[Math.trunc(statusCode / 100) - 1]?.observe(elapsedTime / 1_000);
    if (url === undefined) UNMATCHED.inc();
    done();
  });
}

/**
 * Traces the requests of operations, and of operations between apps, as the continuation of the trace that the caller
 * names (W3C `traceparent`). The sampler of this process decides whether the trace is exported.
 */
export function traceRequests(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const spans = new WeakMap<FastifyRequest, Span>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const { url } = routeOptions;
    const operation = operationOf(request);
    if (url === undefined || url.startsWith('/health/')) return done();
    const { traceparent } = headers;
    const span = startSpan({
      name: operation?.id ?? url,
      kind: 'server',
      attributes: {
        'http.request.method': method,
        'http.route': url,
        'family_watch.app': appForPath(url) ?? 'internal',
      },
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
    });
    if (span) spans.set(request, span);
    done();
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) runInSpan(span, done);
    else done();
  });
  fastify.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request);
    span?.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
