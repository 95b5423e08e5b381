import 'reflect-metadata';
import { openNatsMessaging } from '@family-watch/event-bus/messaging';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { createLogger, toStructuredLogger } from '@family-watch/platform/observability/logger';
import { mcdiskOf, startAppProcess, userctxOf } from '@family-watch/platform/process/app-process';
import { runProcess } from '@family-watch/platform/process/run-process';
import { SocketIoAdapter } from './contexts/connections/socket-io.adapter.js';
import { gatewayDatabase } from './database/gateway-database.js';
import { GatewayEventBusRuntime } from './infrastructure/gateway-infrastructure.js';
import { GatewayModule } from './gateway.module.js';

/** Runs the gateway as a separate process, with external PostgreSQL and NATS servers. */
await runProcess(async () => {
  const environment = loadEnvironment(process.env, ['DATABASE_URL', 'NATS_URL', 'JWKS_URL', 'INTERNAL_SECRET']);
  const logger = createLogger(environment.LOG_LEVEL, 'gateway');
  const userctx = userctxOf(environment);
  const messaging = await openNatsMessaging({
    url: environment.NATS_URL ?? '',
    prefix: environment.NATS_PREFIX,
    name: 'family-watch gateway',
    logger: toStructuredLogger(logger),
    revocationSource: { listSince: (time) => userctx.listRevocationsSince(time) },
  });
  return startAppProcess({
    declaration: gatewayDatabase,
    environment,
    logger,
    messaging,
    userctx,
    events: (app) => app.get(GatewayEventBusRuntime, { strict: false }),
    module: (parts) => GatewayModule.forRoot({ ...parts, messaging, contents: mcdiskOf(environment) }),
    configure: (app) => void app.useWebSocketAdapter(new SocketIoAdapter(app)),
  });
});
