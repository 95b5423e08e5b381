import { Logger as ContextLogger, type DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createRemoteJWKSet } from 'jose';
import type { DataExportSource } from '@family-watch/domain/privacy/contracts/data-export';
import type { ContentSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { openNatsMessaging } from '@family-watch/event-bus/messaging';
import { Authenticator } from '../auth/authenticator.js';
import { TokenVerifier, type VerificationKeySource } from '../auth/token-verifier.js';
import type { Environment } from '../config/environment.js';
import { loadEnvironment } from '../config/load-environment.js';
import { openAppDatabase, type DatabaseDeclaration } from '../database/app-database.js';
import { eventBusHealthOf, findBusDegradations } from './event-bus-health.js';
import { createHealthApplication, HealthModule, type ReadinessChecks } from './health.module.js';
import { AppVersionGate } from '../http/app-version-gate.js';
import { createApplication } from '../http/create-application.js';
import {
  administrationOperations,
  dataExportClient,
  internalCaller,
  mcdiskClient,
  serveInternalOperations,
  userctxClient,
  type InternalOperations,
  type UserctxSource,
} from '../http/internal-operations.js';
import { listen } from '../http/server/listening-sockets.js';
import type { AppDependencies } from './infrastructure.module.js';
import { MetricsCollector } from '../jobs/metrics-collector.js';
import { serveMetrics } from '../observability/metrics-server.js';
import { createLogger, NestLogger, toStructuredLogger } from '../observability/logger.js';
import { LocalAppAdministration } from './operator/app-administration.js';
import { startTracing } from '../observability/tracing.js';
import { runProcess, type RunningProcess } from './run-process.js';

export interface AppOptions {
  database: DatabaseDeclaration;
  /**
   * Returns the verification keys of userctx; only userctx itself has this option. Called after the app has started. An
   * app without this option verifies tokens with the keys at JWKS_URL, and requests snapshots and revocations from
   * userctx.
   */
  verificationKeys?: (app: NestFastifyApplication) => VerificationKeySource;
  /**
   * Returns readiness checks of the app's own components. Called before the app is created; the checks themselves may
   * call `app`.
   */
  readiness?: (app: () => NestFastifyApplication) => ReadinessChecks;
  /** Returns the operations that other apps may call on this app. */
  internalOperations?: (app: NestFastifyApplication) => InternalOperations;
  module: (
    dependencies: AppDependencies & { verificationKeys: VerificationKeySource },
  ) => DynamicModule | Promise<DynamicModule>;
  configure?: (app: NestFastifyApplication) => void;
}

/** Runs one app as one process, with external Postgres and NATS servers, until the process is stopped. */
export function runApp(name: 'userctx' | 'mcdisk' | 'gateway', options: AppOptions): Promise<void> {
  return runProcess(() => startApp(name, options));
}

/**
 * Opens database and messaging, builds the app and listens (see "Structure" in the architecture document). If the
 * schema requires a newer app, the process serves only the health checks.
 */
async function startApp(name: string, options: AppOptions): Promise<RunningProcess> {
  const keyVariable = options.verificationKeys ? 'SECRET_KEY' : 'JWKS_URL';
  const environment = loadEnvironment(process.env, ['DATABASE_URL', 'NATS_URL', keyVariable, 'INTERNAL_SECRET']);
  const stopTracing = await startTracing(environment, name);
  const { DATABASE_URL: url = '', NATS_URL = '', NATS_PREFIX: prefix } = environment;
  const logger = createLogger(environment.LOG_LEVEL, name);
  const userctx = options.verificationKeys ? undefined : userctxOf(environment);
  const messaging = await openNatsMessaging({
    url: NATS_URL,
    prefix,
    name: `family-watch ${name}`,
    logger: toStructuredLogger(logger),
    revocationSource: userctx && { listSince: (time) => userctx.listRevocationsSince(time) },
  });
  ContextLogger.overrideLogger(new NestLogger(logger));
  const database = await openAppDatabase({
    ...options.database,
    url,
    limits: { poolSize: environment.DATABASE_POOL_SIZE },
  });
  const { verificationKeys: ownKeys } = options;
  const verificationKeys: VerificationKeySource = ownKeys
    ? (...token) => ownKeys(app)(...token)
    : createRemoteKeySource(requireValue(environment.JWKS_URL, 'JWKS_URL'));
  const authenticator = new Authenticator(new TokenVerifier(verificationKeys), messaging.revocations);
  const bus = eventBusHealthOf(messaging, () => app);
  const checks: ReadinessChecks = {
    database: () => database.isReachable(),
    databaseWrites: () => database.writeCheck.findProblem(),
    schema: () => database.schemaCheck.findProblem(),
    revocations: () => messaging.revocations.isFresh,
  };
  const stop = async (): Promise<void> => {
    await app.close();
    await messaging.close();
    await database.close();
    await stopTracing();
  };
  const running = { shutdownGraceSeconds: environment.SHUTDOWN_GRACE, stop };
  let app: NestFastifyApplication;
  const schemaProblem = await database.schemaCheck.run();
  if (schemaProblem) {
    // The readiness check reports this problem until a restart: the process never serves requests, even if the schema
    // becomes compatible again.
    const health = HealthModule.forRoot({ ...checks, schema: async () => schemaProblem });
    app = await createHealthApplication({ module: health, environment, logger, authenticator });
    await listen(app, environment);
    logger.warn({ url: await app.getUrl() }, `${name} serves only the health checks`);
    return running;
  }
  const health = HealthModule.forRoot({ ...checks, ...options.readiness?.(() => app) }, () => findBusDegradations(bus));
  const dependencies = { database, environment, authenticator, messaging, logger, snapshots: userctx, names: userctx };
  const module = await options.module({ ...dependencies, verificationKeys });
  app = await createApplication({
    module: {
      module: class AppRoot {},
      imports: [module, health],
      // userctx provides the gate itself.
      providers: userctx
        ? [{ provide: AppVersionGate, useValue: new AppVersionGate(() => userctx.listMinimumAppVersions()) }]
        : [],
    },
    environment,
    logger,
    authenticator,
    configure: (built) => {
      options.configure?.(built);
      const operations = {
        ...administrationOperations(built.get(LocalAppAdministration, { strict: false })),
        ...options.internalOperations?.(built),
      };
      const internalSecret = requireValue(environment.INTERNAL_SECRET, 'INTERNAL_SECRET');
      serveInternalOperations(built, internalSecret, operations);
    },
  });
  await listen(app, environment);
  const metrics = await serveMetrics(environment, () => app.get(MetricsCollector, { strict: false }).render());
  // Programs that start an app wait for the line "… is ready", so the wording must not change.
  logger.info({ url: await app.getUrl() }, `${name} is ready`);
  return {
    ...running,
    stop: async () => {
      await metrics?.close();
      await stop();
    },
  };
}

/**
 * Returns a client of userctx, which serves its verification keys and its internal operations at one origin.
 *
 * @throws Error if JWKS_URL or INTERNAL_SECRET is absent
 */
function userctxOf({ JWKS_URL, INTERNAL_SECRET }: Environment): UserctxSource {
  const secret = requireValue(INTERNAL_SECRET, 'INTERNAL_SECRET');
  return userctxClient(internalCaller(requireValue(JWKS_URL, 'JWKS_URL'), secret));
}

/**
 * Returns a client of userctx for the data of exports.
 *
 * @throws Error if JWKS_URL or INTERNAL_SECRET is absent
 */
export function dataExportsOf({ JWKS_URL, INTERNAL_SECRET }: Environment): DataExportSource {
  return dataExportClient(requireValue(JWKS_URL, 'JWKS_URL'), requireValue(INTERNAL_SECRET, 'INTERNAL_SECRET'));
}

/** Returns a client of mcdisk; undefined without MCDISK_URL. */
export function mcdiskOf({ MCDISK_URL, INTERNAL_SECRET }: Environment): ContentSource | undefined {
  if (MCDISK_URL === undefined) return undefined;
  return mcdiskClient(internalCaller(MCDISK_URL, requireValue(INTERNAL_SECRET, 'INTERNAL_SECRET')));
}

function requireValue(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is required`);
  return value;
}

/**
 * Fetches keys from the JWKS. An unknown key id triggers a refresh, at most one per second, so that tokens signed with
 * a new key are soon accepted.
 */
function createRemoteKeySource(url: string): VerificationKeySource {
  return createRemoteJWKSet(new URL(url), { cooldownDuration: 1_000, timeoutDuration: 3_000 });
}
