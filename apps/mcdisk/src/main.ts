import 'reflect-metadata';
import { openNatsMessaging } from '@family-watch/event-bus/messaging';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { createLogger } from '@family-watch/platform/observability/logger';
import { toStructuredLogger } from '@family-watch/platform/observability/structured-logger';
import { startAppProcess } from '@family-watch/platform/process/app-process';
import { runProcess } from '@family-watch/platform/process/run-process';

import { mcdiskDatabase } from './database/mcdisk-database.js';
import { McdiskModule } from './mcdisk.module.js';

/** Runs mcdisk as a separate process, with Postgres and NATS as external servers. */
await runProcess(async () => {
  const environment = loadEnvironment(process.env, ['DATABASE_URL', 'NATS_URL', 'JWKS_URL']);
  const logger = createLogger(environment.LOG_LEVEL, 'mcdisk');
  const messaging = await openNatsMessaging({
    url: environment.NATS_URL ?? '',
    prefix: environment.NATS_PREFIX,
    name: 'family-watch mcdisk',
    logger: toStructuredLogger(logger),
  });
  return startAppProcess({
    declaration: mcdiskDatabase,
    environment,
    logger,
    messaging,
    module: (parts) => McdiskModule.forRoot({ ...parts, messaging }),
  });
});
