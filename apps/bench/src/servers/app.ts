import { randomBytes } from 'node:crypto';
import type { AppName } from '@family-watch/platform/http/route-table';
import { freePort } from '@family-watch/testing/network/free-ports';
import type { ServerEndpoint } from '../load/websocket.js';
import { resolveProgram } from './program.js';
import { ServerProcess } from './server-process.js';

/** Secret with which the apps of a benchmark authenticate their requests to each other. */
const INTERNAL_SECRET = randomBytes(32).toString('base64url');

/** Options common to all apps. */
export interface AppOptions {
  databaseUrl: string;
  /** URL of the NATS server; absent for standalone with the in-process event bus. */
  natsUrl?: string;
  /** Prefix of all NATS subjects and streams, so that benchmarks can share one NATS server. */
  natsPrefix?: string;
  /** Arguments for Node, before the program path. */
  nodeArgs?: readonly string[];
  port?: number;
}

/** One process of an app in production mode. */
export interface AppInstance {
  process: ServerProcess;
  endpoint: ServerEndpoint;
}

/**
 * Starts one process of an app and waits until it reports readiness.
 *
 * @param settings - environment variables of this app, in addition to the common ones
 */
export async function startApp(
  name: AppName | 'standalone',
  options: AppOptions,
  settings: Readonly<Record<string, string>>,
): Promise<AppInstance> {
  const port = options.port ?? (await freePort());
  const server = await ServerProcess.start({
    name,
    command: process.execPath,
    args: ['--enable-source-maps', ...(options.nodeArgs ?? []), resolveProgram(`@family-watch/${name}/main`)],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      SMS_FILE_IN_PRODUCTION: 'yes',
      LOG_LEVEL: 'info',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: options.databaseUrl,
      NATS_URL: options.natsUrl,
      NATS_PREFIX: options.natsPrefix,
      INTERNAL_SECRET,
      ...settings,
    },
    readyPattern: new RegExp(`(${name}|Family Watch) is ready`),
  });
  return { process: server, endpoint: { host: '127.0.0.1', port } };
}
