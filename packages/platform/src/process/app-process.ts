import { Logger as ContextLogger } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createRemoteJWKSet } from 'jose';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import type { EventBusStatus } from '@family-watch/event-bus/event-bus-status';
import type { ContentSource, SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { Authenticator } from '../auth/authenticator.js';
import { TokenVerifier } from '../auth/token-verifier.js';
import type { VerificationKeySource } from '../auth/token-verifier.js';
import type { Environment } from '../config/environment.js';
import { openAppDatabase } from '../database/app-database.js';
import type { AppDatabase, DatabaseDeclaration } from '../database/app-database.js';
import { findBusDegradations, renderBusMetrics } from '../health/event-bus-health.js';
import type { EventBusHealth } from '../health/event-bus-health.js';
import { createHealthApplication, HealthModule } from '../health/health.module.js';
import type { ReadinessChecks } from '../health/health.module.js';
import { createApplication } from '../http/create-application.js';
import { listen } from '../http/listening-sockets.js';
import { internalCaller, serveInternalOperations, mcdiskClient, userctxClient } from '../http/internal-operations.js';
import type { InternalOperations, UserctxSource } from '../http/internal-operations.js';
import { NestLogger } from '../observability/logger.js';
import type { Logger } from '../observability/logger.js';
import type { RunningProcess } from './run-process.js';

/** Dependencies of an app that runs as a separate process. */
export interface AppDependencies {
  database: AppDatabase;
  environment: Environment;
  authenticator: Authenticator;
  logger: Logger;
  verificationKeys: VerificationKeySource;
  /** Current states of userctx; absent in userctx itself. */
  snapshots?: SnapshotSource;
}

export interface AppProcessOptions {
  declaration: DatabaseDeclaration;
  environment: Environment;
  logger: Logger;
  messaging: { revocations: RevocationFeed; pubSub: { connected: boolean }; close(): Promise<void> };
  /** Source of the keys that verify access tokens; JWKS_URL by default. userctx passes its own keys. */
  verificationKeys?: (app: () => NestFastifyApplication) => VerificationKeySource;
  /** What this app asks userctx; absent in userctx itself. */
  userctx?: UserctxSource;
  /** The running event bus of the app. */
  events: (app: NestFastifyApplication) => { status(): Promise<EventBusStatus> };
  /** Readiness checks of the app's own components; called before the app exists. */
  readiness?: (app: () => NestFastifyApplication) => ReadinessChecks;
  /** What other apps ask this app. */
  internalOperations?: (app: NestFastifyApplication) => InternalOperations;
  module: (dependencies: AppDependencies) => DynamicModule;
  configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

/**
 * Starts one app as one process: opens the database, builds the app and listens (see "Two ways to run" in the
 * architecture document). If the schema requires a newer app, the process serves only the health checks.
 */
export async function startAppProcess(options: AppProcessOptions): Promise<RunningProcess> {
  const { declaration, environment, logger, messaging } = options;
  ContextLogger.overrideLogger(new NestLogger(logger));
  const url = required(environment.DATABASE_URL, 'DATABASE_URL');
  const limits = { poolSize: environment.DATABASE_POOL_SIZE };
  const database = await openAppDatabase({ ...declaration, url, limits });
  const keys =
    options.verificationKeys?.(() => app) ?? createRemoteKeySource(required(environment.JWKS_URL, 'JWKS_URL'));
  const authenticator = new Authenticator(new TokenVerifier(keys), messaging.revocations);
  const bus: EventBusHealth = {
    isConnected: () => messaging.pubSub.connected,
    statuses: async () => [await options.events(app).status()],
  };
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
  };
  const running = { shutdownGraceSeconds: environment.SHUTDOWN_GRACE, stop };
  let app: NestFastifyApplication;
  const schemaProblem = await database.schemaCheck.run();
  if (schemaProblem) {
    // The problem of the schema stays until a restart, because this process serves no requests even if the schema is
    // changed back.
    const health = HealthModule.forRoot({ ...checks, schema: async () => schemaProblem });
    app = await createHealthApplication({ module: health, environment, logger, authenticator });
    await listen(app, environment);
    logger.warn({ url: await app.getUrl() }, `${declaration.name} serves only the health checks`);
    return running;
  }
  const health = HealthModule.forRoot({ ...checks, ...options.readiness?.(() => app) }, () => findBusDegradations(bus));
  const module = options.module({
    database,
    environment,
    authenticator,
    logger,
    verificationKeys: keys,
    snapshots: options.userctx,
  });
  app = await createApplication({
    module: { module: class AppRoot {}, imports: [module, health] },
    environment,
    logger,
    authenticator,
    configure: async (built) => {
      await options.configure?.(built);
      const operations = options.internalOperations?.(built) ?? {};
      const secret = required(environment.INTERNAL_SECRET, 'INTERNAL_SECRET');
      serveInternalOperations(built, secret, operations, () => renderBusMetrics(bus));
    },
  });
  await listen(app, environment);
  // Programs that start an app wait for the line "… is ready", so the wording must not change.
  logger.info({ url: await app.getUrl() }, `${declaration.name} is ready`);
  return running;
}

/**
 * Returns userctx as seen by another app. userctx serves its keys and the internal operations at one origin.
 *
 * @throws Error if JWKS_URL or INTERNAL_SECRET is absent
 */
export function userctxOf({ JWKS_URL, INTERNAL_SECRET }: Environment): UserctxSource {
  const secret = required(INTERNAL_SECRET, 'INTERNAL_SECRET');
  return userctxClient(internalCaller(required(JWKS_URL, 'JWKS_URL'), secret));
}

/** Returns mcdisk as seen by another app; undefined without MCDISK_URL. */
export function mcdiskOf({ MCDISK_URL, INTERNAL_SECRET }: Environment): ContentSource | undefined {
  if (MCDISK_URL === undefined) return undefined;
  return mcdiskClient(internalCaller(MCDISK_URL, required(INTERNAL_SECRET, 'INTERNAL_SECRET')));
}

function required(value: string | undefined, name: string): string {
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
