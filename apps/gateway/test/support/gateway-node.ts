import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { createApplication } from '@family-watch/platform/http/create-application';
import { createLogger } from '@family-watch/platform/observability/logger';
import { GENEROUS_LIMITS } from '@family-watch/testing/database/generous-limits';
import { SocketIoAdapter } from '../../src/connections/socket-io.adapter.js';
import { gatewayDatabase } from '../../src/database/gateway-database.js';
import { GatewayModule } from '../../src/gateway.module.js';
import { GatewayUnitOfWork } from '../../src/infrastructure/gateway-infrastructure.js';
import type { GatewayTestEnvironment } from './gateway-test-environment.js';

/** A gateway node. Several nodes run in one test process. */
export class GatewayNode {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    readonly logs: string[],
    private readonly database: AppDatabase,
  ) {}

  static async start(testEnvironment: GatewayTestEnvironment, settings: Partial<Environment>): Promise<GatewayNode> {
    const { url } = testEnvironment.database;
    const database = await openAppDatabase({ ...gatewayDatabase, url, limits: GENEROUS_LIMITS });
    const environment = Object.assign(new Environment(), { SHUTDOWN_GRACE: 1, ...settings });
    const verifier = new TokenVerifier(async () => testEnvironment.keys.publicKey, testEnvironment.clock.now);
    const authenticator = new Authenticator(verifier, testEnvironment.revocations);
    const logs: string[] = [];
    const logger = createLogger('trace', 'gateway', { write: (line: string) => void logs.push(line) });
    const { messaging, clock, snapshots } = testEnvironment;
    const app = await createApplication({
      module: GatewayModule.forRoot({ database, environment, authenticator, messaging, logger, clock, snapshots }),
      environment,
      logger,
      authenticator,
      configure: (application) => void application.useWebSocketAdapter(new SocketIoAdapter(application)),
    });
    await app.listen(0, '127.0.0.1');
    return new GatewayNode(app, await app.getUrl(), logs, database);
  }

  get unitOfWork(): GatewayUnitOfWork {
    return this.app.get(GatewayUnitOfWork, { strict: false });
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.database.close();
  }

  /** Returns the payloads of the outbox events with this name, oldest first. */
  async outboxPayloadsOf<Payload>(name: string): Promise<Payload[]> {
    const rows = await this.unitOfWork.executor.query<{ payload: Payload }>(
      'SELECT payload FROM gateway.outbox WHERE name = $1 ORDER BY position',
      [name],
    );
    return rows.map(({ payload }) => payload);
  }
}
