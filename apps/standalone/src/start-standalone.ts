import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { openInProcessMessaging, openNatsMessaging } from '@family-watch/event-bus/messaging';
import { SocketIoAdapter } from '@family-watch/gateway/contexts/connections/socket-io.adapter';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import type { VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import type { Environment } from '@family-watch/platform/config/environment';
import { createApplication } from '@family-watch/platform/http/create-application';
import { createLogger } from '@family-watch/platform/observability/logger';
import type { Logger } from '@family-watch/platform/observability/logger';
import { toStructuredLogger } from '@family-watch/platform/observability/structured-logger';
import type { RunningProcess } from '@family-watch/platform/process/run-process';
import { KeyRingService } from '@family-watch/userctx/contexts/accounts/keys/key-ring.service';
import { LocationPartitionMaintainer } from '@family-watch/userctx/database/location-partition-maintainer';
import { serveDocuments } from './documents/serve-documents.js';
import { readOrCreateSecretKey } from './secret-key.js';
import { openAppDatabases, openDatabaseServer } from './standalone-database.js';
import type { AppDatabases } from './standalone-database.js';
import { StandaloneModule } from './standalone.module.js';

const FRESHNESS_LIMIT_MS = 5_000;
const APPS = ['userctx', 'mcdisk', 'gateway'] as const;

/** A running server with the details that `npm start` prints. */
export interface StandaloneServer extends RunningProcess {
  app: NestFastifyApplication;
  url: string;
  database: string;
}

/** Starts all apps in this process, with the embedded database or DATABASE_URL and the in-process bus or NATS_URL. */
export async function startStandalone(given: Environment, logDestination?: Logger): Promise<StandaloneServer> {
  const dataDir = resolve(given.DATA_DIR);
  mkdirSync(dataDir, { recursive: true });
  const logger = logDestination ?? createLogger(given.LOG_LEVEL, 'standalone');
  const server = await openDatabaseServer({ ...given, DATA_DIR: dataDir });
  const SECRET_KEY = given.SECRET_KEY ?? readOrCreateSecretKey(dataDir);
  const environment: Environment = { ...given, DATA_DIR: dataDir, SECRET_KEY };
  const databases = await openAppDatabases(server, environment.DATABASE_POOL_SIZE);
  const partitions = new LocationPartitionMaintainer({
    url: server.migrationUrl,
    variableName: 'MIGRATION_DATABASE_URL',
  });
  await partitions.start();
  const messaging = await openMessaging(environment, logger);
  const app = await buildApplication(environment, databases, messaging, logger);
  await app.init();
  if (!(await waitUntilFresh(messaging.revocations))) logger.warn('Revocation feed is stale, rejecting requests');
  await app.listen(environment.PORT, environment.HOST);
  return {
    app,
    url: await app.getUrl(),
    database: server.description,
    shutdownGraceSeconds: environment.SHUTDOWN_GRACE,
    stop: async () => {
      await app.close();
      await messaging.close();
      await partitions.stop();
      await databases.close();
      await server.stop();
    },
  };
}

/** Waits until the revocation feed is loaded, because the apps reject requests without a current feed. */
async function waitUntilFresh(feed: RevocationFeed): Promise<boolean> {
  const end = Date.now() + FRESHNESS_LIMIT_MS;
  while (!feed.isFresh && Date.now() < end) await sleep(20);
  return feed.isFresh;
}

type OpenMessaging = Awaited<ReturnType<typeof openMessaging>>;

async function openMessaging({ NATS_URL, NATS_PREFIX }: Environment, logger: Logger) {
  const plain = toStructuredLogger(logger);
  if (!NATS_URL) return openInProcessMessaging(APPS, plain);
  return openNatsMessaging({ url: NATS_URL, prefix: NATS_PREFIX, name: 'family-watch standalone', logger: plain });
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
  const module = StandaloneModule.forRoot({
    userctx: { ...common, database: databases.userctx, revocationPublisher },
    mcdisk: { ...common, database: databases.mcdisk, verificationKeys: keys },
    gateway: { ...common, database: databases.gateway },
    readiness: {
      database: () => databases.userctx.isReachable(),
      bus: () => messaging.pubSub.connected,
      revocations: () => messaging.revocations.isFresh,
    },
  });
  const app: NestFastifyApplication = await createApplication({
    module,
    environment,
    logger,
    authenticator,
    configure: (built) => {
      built.useWebSocketAdapter(new SocketIoAdapter(built));
      serveDocuments(built, environment);
    },
  });
  return app;
}
