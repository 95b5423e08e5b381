import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { openInProcessMessaging } from '@family-watch/event-bus/messaging';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { Environment } from '@family-watch/platform/config/environment';
import { createUnconnectedAppDatabase, type DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { createLogger, toStructuredLogger } from '@family-watch/platform/observability/logger';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { buildApplication } from '../start-standalone.js';

const UNUSED_DATABASE_URL = 'postgres://nobody@localhost/none';

/** Builds all apps without a database or an event bus, so that their routes and API documents can be read. */
export async function buildOfflineApp(): Promise<NestFastifyApplication> {
  const logger = createLogger('silent', 'documents');
  const openUnconnected = (declaration: DatabaseDeclaration) =>
    createUnconnectedAppDatabase({ ...declaration, url: UNUSED_DATABASE_URL });
  const databases = {
    userctx: openUnconnected(userctxDatabase),
    mcdisk: openUnconnected(mcdiskDatabase),
    gateway: openUnconnected(gatewayDatabase),
    close: async () => undefined,
  };
  const messaging = openInProcessMessaging([], toStructuredLogger(logger));
  const environment = Object.assign(new Environment(), { SECRET_KEY: 'signs nothing: this application never starts' });
  return buildApplication(environment, databases, messaging, logger);
}
