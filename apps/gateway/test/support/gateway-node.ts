import { Global, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { createApplication } from '@family-watch/platform/http/create-application';
import { createLogger } from '@family-watch/platform/observability/logger';
import { SocketIoAdapter } from '../../src/contexts/connections/socket-io.adapter.js';
import { GATEWAY_CONTEXTS } from '../../src/gateway.module.js';
import { GatewayEventConsumer } from '../../src/infrastructure/gateway.event-consumer.js';
import { GatewayOutbox } from '../../src/infrastructure/gateway.outbox.js';
import { CLOCK, PEERS, REVOCATION_FEED } from '../../src/infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../src/infrastructure/gateway.unit-of-work.js';
import type { GatewayWorld } from './gateway-world.js';
import { quiet } from './quiet-logger.js';

const SCHEMA = 'gateway';

/** One process of the gateway, as far as a test can have several in one. */
export class GatewayNode {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    readonly logs: string[],
    private readonly database: AppDatabase,
  ) {}

  static async start(world: GatewayWorld, settings: Partial<Environment>): Promise<GatewayNode> {
    const { url } = world.database;
    const database = await openAppDatabase({ name: 'gateway', schema: SCHEMA, url, entities: [] });
    const environment = Object.assign(new Environment(), settings);
    const verifier = new TokenVerifier(async () => world.keys.publicKey, world.clock.now);
    const authenticator = new Authenticator(verifier, world.revocations);
    const logs: string[] = [];
    const logger = createLogger('trace', 'gateway', { write: (line: string) => void logs.push(line) });
    const infrastructure = infrastructureOf(world, database, environment, authenticator);
    const root = {
      module: class GatewayRoot {},
      imports: [infrastructure, ...GATEWAY_CONTEXTS],
    };
    const app = await createApplication({
      module: root,
      environment,
      logger,
      authenticator,
      configure: (built) => void built.useWebSocketAdapter(new SocketIoAdapter(built)),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(GatewayEventConsumer, { strict: false }).start();
    return new GatewayNode(app, await app.getUrl(), logs, database);
  }

  get unitOfWork(): GatewayUnitOfWork {
    return this.app.get(GatewayUnitOfWork, { strict: false });
  }

  async stop(): Promise<void> {
    await this.app.get(GatewayEventConsumer, { strict: false }).stop();
    await this.app.close();
    await this.database.close();
  }

  /** Payloads of the events of this name in the outbox, oldest first. */
  async outboxOf<Payload>(name: string): Promise<Payload[]> {
    const rows = await this.unitOfWork.executor.query<{ payload: Payload }>(
      'SELECT payload FROM gateway.outbox WHERE name = $1 ORDER BY position',
      [name],
    );
    return rows.map(({ payload }) => payload);
  }
}

function infrastructureOf(
  { bus, signals, revocations, clock }: GatewayWorld,
  database: AppDatabase,
  environment: Environment,
  authenticator: Authenticator,
) {
  const unitOfWork = new GatewayUnitOfWork(database.dataSource, SCHEMA);
  const consumer = new GatewayEventConsumer({ app: 'gateway', scope: unitOfWork, bus, logger: quiet });
  const providers = [
    { provide: GatewayUnitOfWork, useValue: unitOfWork },
    { provide: GatewayOutbox, useValue: new GatewayOutbox(unitOfWork, { onCommitted: () => undefined }) },
    { provide: GatewayEventConsumer, useValue: consumer },
    { provide: Environment, useValue: environment },
    { provide: Authenticator, useValue: authenticator },
    { provide: PEERS, useValue: signals },
    { provide: REVOCATION_FEED, useValue: revocations },
    { provide: CLOCK, useValue: clock },
  ];
  @Global()
  @Module({ providers, exports: providers })
  class TestInfrastructureModule {}
  return TestInfrastructureModule;
}
