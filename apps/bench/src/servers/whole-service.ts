import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { freePort } from '@family-watch/testing/network/free-ports';
import type { BenchContext } from '../benches/bench-context.js';
import type { ServerEndpoint } from '../load/websocket.js';
import type { DeploymentName } from '../options.js';
import { startApp, type AppInstance } from './app.js';
import type { BenchDatabase } from './bench-database.js';
import { migrate } from './program.js';
import { ServerProcess } from './server-process.js';

/** All apps, in production mode and with the default limits of production. */
export interface WholeService {
  /** Address to which clients connect. */
  endpoint: ServerEndpoint;
  /** The processes that execute requests; without the edge, NATS and the database. */
  apps: readonly AppInstance[];
  /** Directory of `sms-outbox.jsonl`. */
  dataDir: string;
  database: BenchDatabase;
}

const EDGE_CONFIGURATION = fileURLToPath(new URL('../../../../docker/edge/nginx.conf', import.meta.url));
const LOOPBACK = '127.0.0.1';

/** The watches of the benchmark are on no enrolment list, so the service must accept the enrolment of any watch. */
const COMMON_SETTINGS = { WATCH_ENROLMENT: 'open' };

/** Starts the service in one of its deployments. @param settings - environment variables of every app */
export async function startWholeService(
  deployment: DeploymentName,
  context: BenchContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<WholeService> {
  const dataDir = await mkdtemp(join(context.folder, `${deployment}-`));
  const database = await context.createDatabase();
  const start = deployment === 'standalone' ? startStandalone : startDistributed;
  return start(context, database, dataDir, settings);
}

async function startStandalone(
  context: BenchContext,
  database: BenchDatabase,
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<WholeService> {
  const standalone = await startApp(
    'standalone',
    { databaseUrl: database.url, nodeArgs: context.profilingArgs },
    { ...COMMON_SETTINGS, DATA_DIR: dataDir, ...settings },
  );
  context.onClose(() => standalone.process.stop());
  await waitUntilReady(standalone);
  return { endpoint: standalone.endpoint, apps: [standalone], dataDir, database };
}

/** Starts one userctx, one mcdisk and two gateways on NATS behind the edge of the Docker image. */
async function startDistributed(
  context: BenchContext,
  database: BenchDatabase,
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<WholeService> {
  for (const app of ['userctx', 'mcdisk', 'gateway'] as const) await migrate(app, database.url);
  const ports = { edge: await freePort(), userctx: await freePort(), mcdisk: await freePort() };
  const natsPrefix = `attack-${randomBytes(4).toString('hex')}`;
  const common = {
    ...COMMON_SETTINGS,
    DATA_DIR: dataDir,
    SECRET_KEY: randomBytes(32).toString('hex'),
    PUBLIC_URL: `http://${LOOPBACK}:${ports.edge}`,
    TRUSTED_PROXIES: LOOPBACK,
    JWKS_URL: `http://${LOOPBACK}:${ports.userctx}/.well-known/jwks.json`,
    MCDISK_URL: `http://${LOOPBACK}:${ports.mcdisk}`,
    FILE_OFFLOAD: 'x-accel:/_blobs/',
    ...settings,
  };
  const options = {
    databaseUrl: database.url,
    natsUrl: context.nats.url,
    natsPrefix,
    nodeArgs: context.profilingArgs,
  };
  const apps = [
    await startApp('userctx', { ...options, port: ports.userctx }, common),
    await startApp('mcdisk', { ...options, port: ports.mcdisk }, common),
    await startApp('gateway', options, common),
    await startApp('gateway', options, common),
  ];
  for (const { process: server } of apps) context.onClose(() => server.stop());
  await Promise.all(apps.map(waitUntilReady));
  const [userctx, mcdisk, ...gateways] = apps.map(({ endpoint }) => endpoint) as [ServerEndpoint, ServerEndpoint];
  await startEdge(context, { port: ports.edge, dataDir, userctx, mcdisk, gateways });
  return { endpoint: { host: LOOPBACK, port: ports.edge }, apps, dataDir, database };
}

interface EdgeOptions {
  port: number;
  dataDir: string;
  userctx: ServerEndpoint;
  mcdisk: ServerEndpoint;
  gateways: readonly ServerEndpoint[];
}

/** Starts nginx with the configuration of the Docker image, in front of local processes. */
async function startEdge(context: BenchContext, { port, dataDir, userctx, mcdisk, gateways }: EdgeOptions) {
  const folder = await mkdtemp(join(context.folder, 'edge-'));
  const servers = gateways.map((gateway) => `server ${hostWithPort(gateway)} max_fails=0;`).join(' ');
  const configuration = (await readFile(EDGE_CONFIGURATION, 'utf8'))
    .replace('include mime.types', 'include /etc/nginx/mime.types')
    .replace('access_log /dev/stdout edge', 'access_log off')
    .replace('listen 8080', `listen ${LOOPBACK}:${port}`)
    .replace('userctx:8080 resolve', hostWithPort(userctx))
    .replace('mcdisk:8080 resolve', hostWithPort(mcdisk))
    .replace('server gateway:8080 resolve max_fails=0;', servers)
    .replaceAll('/tmp/', `${folder}/`)
    .replaceAll('/srv/mcdisk', dataDir)
    .replaceAll('/srv/site', folder);
  // If this process runs as root, nginx must also run as root to read the files of mcdisk.
  const user = userInfo().uid === 0 ? 'user root;\n' : '';
  await writeFile(join(folder, 'nginx.conf'), user + configuration);
  await writeFile(join(folder, 'trusted-proxies.conf'), '');
  const edge = await ServerProcess.start({
    name: 'edge',
    command: 'nginx',
    args: ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'],
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` },
  });
  context.onClose(() => edge.stop());
  await waitUntil('the edge responds', () => isSuccessful(`http://${LOOPBACK}:${port}/health/live`));
}

function waitUntilReady({ process: { name }, endpoint }: AppInstance): Promise<void> {
  return waitUntil(`${name} is ready`, () => isSuccessful(`http://${hostWithPort(endpoint)}/health/ready`));
}

async function isSuccessful(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function hostWithPort({ host, port }: ServerEndpoint): string {
  return `${host}:${port}`;
}
