import 'reflect-metadata';
import { openNatsMessaging } from '@family-watch/event-bus/messaging';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { mcdiskOperations } from '@family-watch/platform/http/internal-operations';
import { createLogger, toStructuredLogger } from '@family-watch/platform/observability/logger';
import { startAppProcess, userctxOf } from '@family-watch/platform/process/app-process';
import { runProcess } from '@family-watch/platform/process/run-process';

import { BlobStoreReadiness } from './contexts/blobs/blob-store-readiness.js';
import { ContentSourceRepository } from './contexts/contents/content-source.repository.js';
import { mcdiskDatabase } from './database/mcdisk-database.js';
import { McdiskEventBusRuntime } from './infrastructure/mcdisk-infrastructure.js';
import { McdiskModule } from './mcdisk.module.js';

/** Runs mcdisk as a separate process, with Postgres and NATS as external servers. */
await runProcess(async () => {
  const environment = loadEnvironment(process.env, ['DATABASE_URL', 'NATS_URL', 'JWKS_URL', 'INTERNAL_SECRET']);
  const logger = createLogger(environment.LOG_LEVEL, 'mcdisk');
  const userctx = userctxOf(environment);
  const messaging = await openNatsMessaging({
    url: environment.NATS_URL ?? '',
    prefix: environment.NATS_PREFIX,
    name: 'family-watch mcdisk',
    logger: toStructuredLogger(logger),
    revocationSource: { listSince: (time) => userctx.listRevocationsSince(time) },
  });
  return startAppProcess({
    declaration: mcdiskDatabase,
    environment,
    logger,
    messaging,
    userctx,
    readiness: (app) => ({ blobStore: () => app().get(BlobStoreReadiness, { strict: false }).findProblem() }),
    internalOperations: (app) => mcdiskOperations(app.get(ContentSourceRepository, { strict: false })),
    events: (app) => app.get(McdiskEventBusRuntime, { strict: false }),
    module: (parts) => McdiskModule.forRoot({ ...parts, messaging }),
  });
});
