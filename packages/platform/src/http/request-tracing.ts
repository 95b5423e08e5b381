import { SpanStatusCode } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { runInSpan, startSpan } from '../observability/tracing.js';
import { operationOf } from './operation.decorator.js';
import { appForPath } from './route-table.js';

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
