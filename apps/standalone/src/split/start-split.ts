import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '@family-watch/platform/config/environment';
import type { AppName } from '@family-watch/platform/http/route-table';
import type { RunningProcess } from '@family-watch/platform/app/run-process';
import { ConsoleSite } from '../console/console-site.js';
import { MapFile } from '../console/map-file.js';
import { loadDocumentSite } from '../documents/document-site.js';
import { readOrCreateSecretKey } from '../secret-key.js';
import { Site } from '../site/site.js';
import { openDatabaseServer, type DatabaseServer } from '../standalone-database.js';
import { ManagedProcess, runToExit, type ManagedProcessOptions } from './managed-process.js';
import { DevProxy } from './dev-proxy.js';
import { isReady, createOwnRoutes } from './proxy-own-routes.js';
import {
  assertNatsReachable,
  DEFAULT_NATS_URL,
  APPS,
  appEnvironment,
  migrationEnvironment,
  upstreamsAfter,
  type SplitPlan,
  type Upstreams,
} from './split-plan.js';

/** Milliseconds after SHUTDOWN_GRACE at which an app that has not ended is killed, before the database stops. */
const CHILD_STOP_MARGIN_MS = 3_000;

export interface SplitServer extends RunningProcess {
  url: string;
  database: string;
  upstreams: Upstreams;
}

/**
 * Starts each app as a separate process behind one proxy, on the embedded database or on DATABASE_URL. If the start
 * fails or is cancelled, the apps stop first and the database last.
 *
 * @throws the reason of the cancellation
 */
export async function startSplit(
  environment: Environment,
  log: (line: string) => void,
  cancellation: AbortSignal,
): Promise<SplitServer> {
  const upstreams = upstreamsAfter(environment.PORT);
  const natsUrl = environment.NATS_URL ?? DEFAULT_NATS_URL;
  await assertNatsReachable(natsUrl);
  const dataDir = resolve(environment.DATA_DIR);
  const map = MapFile.of({ ...environment, DATA_DIR: dataDir });
  mkdirSync(dataDir, { recursive: true });
  const cleanup = new AsyncDisposableStack();
  const stop = (): Promise<void> => cleanup.disposeAsync();
  try {
    const server = await openDatabaseServer({ ...environment, DATA_DIR: dataDir });
    cleanup.defer(() => server.stop());
    cancellation.throwIfAborted();
    const served: { site?: Site } = {};
    const respondOwnRoute = createOwnRoutes(upstreams, () => served.site);
    const proxy = new DevProxy({ upstreams, respondOwnRoute, settings: environment });
    const proxyUrl = await proxy.listen(environment.PORT, environment.HOST);
    cleanup.defer(() => proxy.close());
    log(`Family Watch is starting at ${proxyUrl}`);
    const publicUrl = environment.PUBLIC_URL ?? proxyUrl;
    const plan = createPlan({ environment, natsUrl, dataDir, upstreams, publicUrl }, server);
    const documentsDir = join(dataDir, 'documents');
    await prepare(plan, documentsDir, log, cancellation);
    served.site = new Site(loadDocumentSite(documentsDir), ConsoleSite.load(environment, map));
    await startChildren(plan, cleanup, log, cancellation);
    const shutdownGraceSeconds = environment.SHUTDOWN_GRACE;
    return { url: proxyUrl, database: server.description, upstreams, shutdownGraceSeconds, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createPlan(
  parts: Omit<SplitPlan, 'secretKey' | 'internalSecret' | 'url' | 'migrationUrl'>,
  server: DatabaseServer,
): SplitPlan {
  const secretKey = parts.environment.SECRET_KEY ?? readOrCreateSecretKey(parts.dataDir);
  const internalSecret = parts.environment.INTERNAL_SECRET ?? randomBytes(32).toString('base64url');
  return { ...parts, secretKey, internalSecret, url: server.url, migrationUrl: server.migrationUrl };
}

/** Runs the migrations of the three independent schemas and writes the documents. */
async function prepare(
  plan: SplitPlan,
  documentsDir: string,
  log: ManagedProcessOptions['log'],
  cancellation: AbortSignal,
): Promise<void> {
  const env = migrationEnvironment(plan);
  const writer = resolveProgram('../documents/write-documents.js');
  const programs: ManagedProcessOptions[] = [
    ...APPS.map((app) => ({ name: `The migration of ${app}`, program: migrationPrograms[app], env, log })),
    { name: 'The writer of the documents', program: writer, args: [documentsDir, '--page'], env: process.env, log },
  ];
  const exits = programs.map((each) => runToExit(each, cancellation));
  // If one program fails, the others must end before the database stops.
  await Promise.allSettled(exits);
  await Promise.all(exits);
}

async function startChildren(
  plan: SplitPlan,
  cleanup: AsyncDisposableStack,
  log: ManagedProcessOptions['log'],
  cancellation: AbortSignal,
): Promise<void> {
  const children = new Map<string, ManagedProcess>();
  const stopTimeoutMs = plan.environment.SHUTDOWN_GRACE * 1_000 + CHILD_STOP_MARGIN_MS;
  cleanup.defer(async () => void (await Promise.all([...children.values()].map((child) => child.stop(stopTimeoutMs)))));
  for (const app of APPS)
    children.set(
      app,
      new ManagedProcess({ name: app, program: mainPrograms[app], env: appEnvironment(plan, app), log }),
    );
  const maintainer = new ManagedProcess({
    name: 'maintenance',
    program: maintenanceProgram,
    env: migrationEnvironment(plan),
    log,
  });
  children.set('maintenance', maintainer);
  const ready = APPS.map((app) => children.get(app)?.waitUntilReady(() => isReady(plan.upstreams[app])));
  const allReady = Promise.all([...ready, maintainer.waitUntilReady(async () => true)]);
  await Promise.race([allReady, once(cancellation, 'abort')]);
  cancellation.throwIfAborted();
}

/** Resolves a program of a built package. */
function resolveProgram(specifier: string): string {
  return import.meta.resolve(specifier);
}

const mainPrograms: Readonly<Record<AppName, string>> = {
  userctx: resolveProgram('@family-watch/userctx/main'),
  mcdisk: resolveProgram('@family-watch/mcdisk/main'),
  gateway: resolveProgram('@family-watch/gateway/main'),
};

const migrationPrograms: Readonly<Record<AppName, string>> = {
  userctx: resolveProgram('@family-watch/userctx/migrate'),
  mcdisk: resolveProgram('@family-watch/mcdisk/migrate'),
  gateway: resolveProgram('@family-watch/gateway/migrate'),
};

const maintenanceProgram = resolveProgram('@family-watch/userctx/maintenance');
