import { connect } from 'node:net';
import type { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import type { AppName } from '@family-watch/platform/http/route-table';

/** Base URL of the process of each app. */
export type Upstreams = Readonly<Record<AppName, URL>>;

export const APPS: readonly AppName[] = ['userctx', 'mcdisk', 'gateway'];

const LOOPBACK = '127.0.0.1';

/**
 * Returns the base URL of each app, whose ports are the three after PORT.
 *
 * @throws EnvironmentError if PORT is 0
 */
export function upstreamsAfter(port: number): Upstreams {
  if (port === 0) throw new EnvironmentError(['PORT must not be 0: the ports of the apps follow it']);
  const urls = APPS.map((app, index) => [app, new URL(`http://${LOOPBACK}:${port + 1 + index}`)] as const);
  return Object.fromEntries(urls) as Record<AppName, URL>;
}

export interface SplitPlan {
  environment: Environment;
  natsUrl: string;
  secretKey: string;
  /** Secret with which the apps authenticate their requests to each other. */
  internalSecret: string;
  dataDir: string;
  url: string;
  migrationUrl: string;
  upstreams: Upstreams;
  /** URL of the proxy; the URLs in the responses of the apps begin with this URL. */
  publicUrl: string;
}

/** Returns the environment of an app, without MIGRATION_DATABASE_URL, which only migration and maintenance may use. */
export function appEnvironment(plan: SplitPlan, app: AppName): NodeJS.ProcessEnv {
  const { upstreams } = plan;
  return {
    ...inheritedEnvironment(),
    HOST: LOOPBACK,
    PORT: upstreams[app].port,
    PUBLIC_URL: plan.publicUrl,
    TRUSTED_PROXIES: LOOPBACK,
    DATA_DIR: plan.dataDir,
    DATABASE_URL: plan.url,
    NATS_URL: plan.natsUrl,
    JWKS_URL: new URL('/.well-known/jwks.json', upstreams.userctx).href,
    SECRET_KEY: plan.secretKey,
    INTERNAL_SECRET: plan.internalSecret,
    MCDISK_URL: upstreams.mcdisk.origin,
    GATEWAY_URL: upstreams.gateway.origin,
  };
}

/** Returns the environment of migration and maintenance, with both database URLs but without settings of a server. */
export function migrationEnvironment(plan: SplitPlan): NodeJS.ProcessEnv {
  return { ...inheritedEnvironment(), DATABASE_URL: plan.url, MIGRATION_DATABASE_URL: plan.migrationUrl };
}

/** Returns the environment of this process without MIGRATION_DATABASE_URL and the port that only one app could use. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const { MIGRATION_DATABASE_URL: _url, METRICS_PORT: _port, ...rest } = process.env;
  return rest;
}

export const DEFAULT_NATS_URL = 'nats://127.0.0.1:4222';

const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Checks that a NATS server responds. Separate processes need a NATS server, and the product does not include one.
 * @throws EnvironmentError with instructions to start a NATS server
 */
export async function assertNatsReachable(url: string): Promise<void> {
  const { hostname, port, host } = new URL(url.split(',')[0] ?? url);
  const answers = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 4222), timeout: CONNECT_TIMEOUT_MS });
    const settle = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    // A NATS server sends its INFO line first.
    socket.once('data', (greeting) => settle(greeting.toString('latin1').startsWith('INFO '))());
    for (const event of ['error', 'timeout', 'end'] as const) socket.once(event, settle(false));
  });
  if (answers) return;
  throw new EnvironmentError([
    `NATS_URL: no NATS server answers at ${host}. Any of these gives one:`,
    '    docker compose --file docker/compose.dev.yml up --detach nats',
    '    apt install nats-server && nats-server --jetstream --store_dir .data/nats --addr 127.0.0.1',
    '    NATS_URL=nats://… npm run dev -- --split',
    'Without NATS, `npm start` runs the whole service in one process.',
  ]);
}
