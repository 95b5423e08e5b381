import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { appForPath } from '../http/route-table.js';
import type { OperationMetadata } from '../http/operation.decorator.js';
import { counter, histogram } from './instruments.js';

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
