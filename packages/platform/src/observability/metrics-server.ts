import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics } from 'prom-client';
import type { Environment } from '../config/environment.js';
import { metricsRegistry } from './instruments.js';

/** One connection per scraper suffices; further connections are closed immediately. */
const MAX_CONNECTIONS = 16;
const REQUEST_TIMEOUT_MS = 5_000;
/** Longer than the usual interval of scrapes, so that a scraper can keep its connection. */
const IDLE_TIMEOUT_MS = 65_000;

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` at METRICS_HOST and METRICS_PORT, apart from the public address, for callers that can reach
 * this address: the metrics contain no secrets and no personal data. Returns undefined without METRICS_PORT.
 *
 * @param render - returns the metrics in the text format of Prometheus
 */
export async function serveMetrics(
  { METRICS_PORT: port, METRICS_HOST: host }: Environment,
  render: () => Promise<string>,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  startDefaultMetrics();
  const server = createServer(
    {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
    },
    ({ method, url }, response) => {
      if (url !== '/metrics') response.writeHead(404).end();
      else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
      else {
        render().then(
          (text) => response.writeHead(200, { 'content-type': metricsRegistry.contentType }).end(text),
          () => response.writeHead(500).end(),
        );
      }
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${boundPort}/metrics`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Starts the metrics of the process and of Node.js (CPU, memory, garbage collection, event-loop delay), once. */
function startDefaultMetrics(): void {
  if (metricsRegistry.getSingleMetric('process_cpu_seconds_total')) return;
  collectDefaultMetrics({ register: metricsRegistry });
}
