import 'reflect-metadata';
import { openNatsMessaging } from '@family-watch/event-bus/messaging';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { createLogger, toStructuredLogger } from '@family-watch/platform/observability/logger';
import { startAppProcess } from '@family-watch/platform/process/app-process';
import { runProcess } from '@family-watch/platform/process/run-process';
import { userctxOperations } from '@family-watch/platform/http/internal-operations';
import { KeyRingService } from './contexts/accounts/keys/key-ring.service.js';
import { SnapshotSourceService } from './contexts/snapshots/snapshot-source.service.js';
import { userctxDatabase } from './database/userctx-database.js';
import { UserctxEventBusRuntime } from './infrastructure/userctx-infrastructure.js';
import { UserctxModule } from './userctx.module.js';

/** Runs userctx in a separate process with external Postgres and NATS servers. */
await runProcess(async () => {
  const environment = loadEnvironment(process.env, ['DATABASE_URL', 'NATS_URL', 'SECRET_KEY', 'INTERNAL_SECRET']);
  const logger = createLogger(environment.LOG_LEVEL, 'userctx');
  const messaging = await openNatsMessaging({
    url: environment.NATS_URL ?? '',
    prefix: environment.NATS_PREFIX,
    name: 'family-watch userctx',
    logger: toStructuredLogger(logger),
  });
  const revocationPublisher = await messaging.openRevocationPublisher();
  return startAppProcess({
    declaration: userctxDatabase,
    environment,
    logger,
    messaging,
    verificationKeys:
      (app) =>
      (...token) =>
        app()
          .get(KeyRingService, { strict: false })
          .keySource(...token),
    internalOperations: (app) => userctxOperations(app.get(SnapshotSourceService, { strict: false })),
    events: (app) => app.get(UserctxEventBusRuntime, { strict: false }),
    module: (parts) => UserctxModule.forRoot({ ...parts, messaging, revocationPublisher }),
  });
});
