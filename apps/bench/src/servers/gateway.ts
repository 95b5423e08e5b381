import { fileURLToPath } from 'node:url';
import type { Endpoint } from '../load/websocket.js';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';

export interface GatewayOptions {
  databaseUrl: string;
  natsUrl: string;
  natsPrefix: string;
  jwksUrl: string;
  /** Seconds. */
  heartbeatInterval?: number;
  /** Given to Node before the program's name. */
  nodeArgs?: readonly string[];
  port?: number;
}

/** A gateway as it runs in production, one process of it. */
export interface Gateway {
  process: ServerProcess;
  endpoint: Endpoint;
}

/** What is not the product's but the load's: one client sends more than a person does. */
const RATE_LIMIT_EVENTS = '1000000';

export async function migrateGateway(databaseUrl: string): Promise<void> {
  const migration = await ServerProcess.start({
    name: 'migrate',
    command: process.execPath,
    args: [programOf('@family-watch/gateway/migrate')],
    env: { ...process.env, DATABASE_URL: databaseUrl, MIGRATION_DATABASE_URL: '' },
    ready: /Migration|\d{10,}|Nothing to migrate/,
  });
  await migration.ended();
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const port = options.port ?? (await freePort());
  const server = await ServerProcess.start({
    name: 'gateway',
    command: process.execPath,
    args: ['--enable-source-maps', ...(options.nodeArgs ?? []), programOf('@family-watch/gateway/main')],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: options.databaseUrl,
      NATS_URL: options.natsUrl,
      NATS_PREFIX: options.natsPrefix,
      JWKS_URL: options.jwksUrl,
      RATE_LIMIT_EVENTS,
      HEARTBEAT_INTERVAL: String(options.heartbeatInterval ?? 30),
    },
    ready: /gateway is ready/,
  });
  return { process: server, endpoint: { host: '127.0.0.1', port } };
}

function programOf(specifier: string): string {
  return fileURLToPath(import.meta.resolve(specifier));
}
