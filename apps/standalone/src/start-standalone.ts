import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger as ContextLogger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DataExportSource } from '@family-watch/domain/privacy/contracts/data-export';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import type { NameSource } from '@family-watch/domain/kernel/contracts/display-names';
import type { ContentSource, SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { openInProcessMessaging, openNatsMessaging } from '@family-watch/event-bus/messaging';
import { SocketIoAdapter } from '@family-watch/gateway/connections/socket-io.adapter';
import { GatewayModule } from '@family-watch/gateway/gateway.module';
import { BlobStoreReadiness } from '@family-watch/mcdisk/storage/blobs/blob-store-provider';
import { ContentRepository } from '@family-watch/mcdisk/files/contents/content.repository';
import { McdiskModule } from '@family-watch/mcdisk/mcdisk.module';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier, type VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import type { Environment } from '@family-watch/platform/config/environment';
import { eventBusHealthOf, findBusDegradations } from '@family-watch/platform/app/event-bus-health';
import { HealthModule, createHealthApplication, type ReadinessChecks } from '@family-watch/platform/app/health.module';
import type { ReadinessCheck, ReadinessProblem } from '@family-watch/platform/observability/readiness-check';
import { createApplication } from '@family-watch/platform/http/create-application';
import { listen } from '@family-watch/platform/http/server/listening-sockets';
import { MetricsCollector } from '@family-watch/platform/jobs/metrics-collector';
import { serveMetrics } from '@family-watch/platform/observability/metrics-server';
import { createLogger, NestLogger, toStructuredLogger, type Logger } from '@family-watch/platform/observability/logger';
import { startTracing } from '@family-watch/platform/observability/tracing';
import type { RunningProcess } from '@family-watch/platform/app/run-process';
import { KeyRingService } from '@family-watch/userctx/accounts/keys/key-ring.service';
import { readSmsSettings } from '@family-watch/userctx/sms/sms-settings';
import { ExportSourceService } from '@family-watch/userctx/privacy/data-exports/export-source.service';
import { startOwnerJobs } from '@family-watch/userctx/database/owner-jobs';
import { SnapshotSourceService } from '@family-watch/userctx/snapshot-source.service';
import { UserctxModule } from '@family-watch/userctx/userctx.module';
import { readOrCreateSecretKey } from './secret-key.js';
import { serveSite } from './site/serve-site.js';
import { openAppDatabases, openDatabaseServer, type AppDatabases } from './standalone-database.js';

const REVOCATION_FEED_TIMEOUT_MS = 5_000;
const APPS = ['userctx', 'mcdisk', 'gateway'] as const;

/** A running server with the details that `npm start` prints. */
export interface StandaloneServer extends RunningProcess {
  app: NestFastifyApplication;
  url: string;
  database: string;
  /** Why the server serves only the health checks, if a schema requires a newer build. */
  problem?: ReadinessProblem;
}

/**
 * Starts all apps in this process, with the embedded database or DATABASE_URL and the in-process bus or NATS_URL. If a
 * schema requires a newer build, the process serves only the health checks.
 */
export async function startStandalone(configured: Environment, logDestination?: Logger): Promise<StandaloneServer> {
  // Missing settings are reported before the database is started.
  readSmsSettings(configured);
  const dataDir = resolve(configured.DATA_DIR);
  mkdirSync(dataDir, { recursive: true });
  const logger = logDestination ?? createLogger(configured.LOG_LEVEL, 'standalone');
  ContextLogger.overrideLogger(new NestLogger(logger));
  const stopTracing = await startTracing(configured, 'standalone');
  const server = await openDatabaseServer({ ...configured, DATA_DIR: dataDir });
  const SECRET_KEY = configured.SECRET_KEY ?? readOrCreateSecretKey(dataDir);
  const environment: Environment = { ...configured, DATA_DIR: dataDir, SECRET_KEY };
  const databases = await openAppDatabases(server, environment.DATABASE_POOL_SIZE);
  const problem = await findSchemaProblem(databases, (check) => check.run());
  const migrationConnection = { url: server.migrationUrl, variableName: 'MIGRATION_DATABASE_URL' };
  const ownerJobs = problem ? undefined : await startOwnerJobs(migrationConnection, environment);
  const messaging = await openMessaging(environment, logger);
  const app = problem
    ? await buildHealthApplication(environment, databases, messaging, logger, problem)
    : await buildApplication(environment, databases, messaging, logger);
  await app.init();
  if (!problem && !(await waitUntilFresh(messaging.revocations)))
    logger.warn('Revocation feed is stale, rejecting requests');
  await listen(app, environment);
  const metrics = problem
    ? undefined
    : await serveMetrics(environment, () => app.get(MetricsCollector, { strict: false }).render());
  return {
    app,
    url: await app.getUrl(),
    database: server.description,
    problem,
    shutdownGraceSeconds: environment.SHUTDOWN_GRACE,
    stop: async () => {
      await metrics?.close();
      await app.close();
      await messaging.close();
      await ownerJobs?.close();
      await databases.close();
      await server.stop();
      await stopTracing();
    },
  };
}

/** Returns the readiness checks of the database server, through the connections of userctx: all apps use one server. */
function databaseChecks(databases: AppDatabases): ReadinessChecks {
  return {
    database: () => databases.userctx.isReachable(),
    databaseWrites: () => databases.userctx.writeCheck.findProblem(),
    schema: () => findSchemaProblem(databases, (check) => check.findProblem()),
  };
}

async function findSchemaProblem(
  databases: AppDatabases,
  runCheck: (check: ReadinessCheck) => Promise<ReadinessProblem | undefined>,
): Promise<ReadinessProblem | undefined> {
  const problems = await Promise.all(APPS.map((app) => runCheck(databases[app].schemaCheck)));
  return problems.find((problem) => problem !== undefined);
}

/** Waits until the revocation feed is loaded, because the apps reject requests without a current feed. */
async function waitUntilFresh(feed: RevocationFeed): Promise<boolean> {
  const end = Date.now() + REVOCATION_FEED_TIMEOUT_MS;
  while (!feed.isFresh && Date.now() < end) await sleep(20);
  return feed.isFresh;
}

type OpenMessaging = Awaited<ReturnType<typeof openMessaging>>;

async function openMessaging({ NATS_URL, NATS_PREFIX }: Environment, logger: Logger) {
  const structuredLogger = toStructuredLogger(logger);
  if (!NATS_URL) return openInProcessMessaging(APPS, structuredLogger);
  return openNatsMessaging({
    url: NATS_URL,
    prefix: NATS_PREFIX,
    name: 'family-watch standalone',
    logger: structuredLogger,
  });
}

/** Builds the three apps on one HTTP server, without listening. */
export async function buildApplication(
  environment: Environment,
  databases: AppDatabases,
  messaging: OpenMessaging,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const keys: VerificationKeySource = (...token) => app.get(KeyRingService, { strict: false }).keySource(...token);
  const authenticator = new Authenticator(new TokenVerifier(keys), messaging.revocations);
  const common = { environment, authenticator, messaging, logger };
  const revocationPublisher = await messaging.openRevocationPublisher();
  const snapshots = lazySnapshotSource(() => app.get(SnapshotSourceService, { strict: false }));
  const names: NameSource = {
    findNames: (keys) => app.get(SnapshotSourceService, { strict: false }).findNames(keys),
  };
  const contents = lazyContentSource(() => app.get(ContentRepository, { strict: false }));
  const dataExports: DataExportSource = {
    listDocuments: (userId) => app.get(ExportSourceService, { strict: false }).listDocuments(userId),
    readPage: (request) => app.get(ExportSourceService, { strict: false }).readPage(request),
  };
  const busHealth = eventBusHealthOf(messaging, () => app);
  const readiness: ReadinessChecks = {
    ...databaseChecks(databases),
    blobStore: () => app.get(BlobStoreReadiness, { strict: false }).findProblem(),
    revocations: () => messaging.revocations.isFresh,
  };
  const modules = [
    GatewayModule.forRoot({ ...common, database: databases.gateway, snapshots, names, contents }),
    McdiskModule.forRoot({
      ...common,
      database: databases.mcdisk,
      verificationKeys: keys,
      snapshots,
      names,
      dataExports,
    }),
    UserctxModule.forRoot({ ...common, database: databases.userctx, revocationPublisher }),
    HealthModule.forRoot(readiness, () => findBusDegradations(busHealth)),
  ];
  const app: NestFastifyApplication = await createApplication({
    module: { module: class StandaloneRoot {}, imports: modules },
    environment,
    logger,
    authenticator,
    configure: (built) => {
      built.useWebSocketAdapter(new SocketIoAdapter(built));
      serveSite(built, environment);
    },
  });
  return app;
}

/** Builds an application that serves only the health checks and does not use the schemas. */
async function buildHealthApplication(
  environment: Environment,
  databases: AppDatabases,
  messaging: OpenMessaging,
  logger: Logger,
  problem: ReadinessProblem,
): Promise<NestFastifyApplication> {
  const noKeys: VerificationKeySource = () => Promise.reject(new Error('The health checks need no keys'));
  const authenticator = new Authenticator(new TokenVerifier(noKeys), messaging.revocations);
  return createHealthApplication({
    // The problem remains until a restart, because this process serves no requests even if the schema is changed back.
    module: HealthModule.forRoot({ ...databaseChecks(databases), schema: async () => problem }),
    environment,
    logger,
    authenticator,
  });
}

/** Returns a snapshot source that calls `find` for each query, because the source is created with the application. */
function lazySnapshotSource(find: () => SnapshotSource): SnapshotSource {
  return {
    listVersions: (event, after) => find().listVersions(event, after),
    find: (event, ids) => find().find(event, ids),
    listUnpublishedSnapshots: () => find().listUnpublishedSnapshots(),
  };
}

/** Returns a content source that calls `find` for each query, because the source is created with the application. */
function lazyContentSource(find: () => ContentSource): ContentSource {
  return {
    listDigests: (after) => find().listDigests(after),
    listIds: (cloudId, after) => find().listIds(cloudId, after),
  };
}
