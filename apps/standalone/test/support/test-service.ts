import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { Environment } from '@family-watch/platform/config/environment';
import { createLogger } from '@family-watch/platform/observability/logger';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { deleteStreams, natsUrl } from '@family-watch/testing/service/nats';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { startStandalone } from '../../src/start-standalone.js';
import type { StandaloneServer } from '../../src/start-standalone.js';
import { SmsInbox } from './sms-inbox.js';
import { TwoGateways } from './two-gateways.js';
import type { Way } from './ways.js';

const PLENTY = 1_000_000;
const PATIENCE_MS = 15_000;

/** The composed service, as `npm start` runs it or as processes of their own, on a database and a folder of its own. */
export class TestService {
  readonly sms: SmsInbox;

  private constructor(
    readonly way: Way,
    readonly database: TestDatabase,
    readonly dataDir: string,
    readonly logs: readonly string[],
    private readonly environment: Environment,
    private readonly server: StandaloneServer | TwoGateways,
  ) {
    this.sms = new SmsInbox(dataDir);
  }

  static async start(way: Way, settings: Partial<Environment> = {}): Promise<TestService> {
    const database = await createTestDatabase({ template: [userctxDatabase, mcdiskDatabase, gatewayDatabase] });
    const dataDir = mkdtempSync(join(tmpdir(), 'fw-service-'));
    const environment = Object.assign(new Environment(), {
      ...{ PORT: 0, HOST: '127.0.0.1', NODE_ENV: 'test', DATA_DIR: dataDir },
      ...{ DATABASE_URL: database.url, MIGRATION_DATABASE_URL: database.migrationUrl },
      ...{ RATE_LIMIT_REQUESTS: PLENTY, RATE_LIMIT_SIGN_IN: PLENTY, RATE_LIMIT_EVENTS: PLENTY },
      ...{ RATE_LIMIT_SMS_ADDRESS: PLENTY, RATE_LIMIT_SMS_PHONE: PLENTY, RATE_LIMIT_SMS_TOTAL: PLENTY },
      ...(way !== 'in-process bus' ? { NATS_URL: natsUrl, NATS_PREFIX: `t${randomBytes(6).toString('hex')}` } : {}),
      ...settings,
    });
    const logs: string[] = [];
    const logger = createLogger('debug', 'service under test', { write: (line: string) => void logs.push(line) });
    const server =
      way === 'two gateways' ? await TwoGateways.start(environment) : await startStandalone(environment, logger);
    const service = new TestService(way, database, dataDir, logs, environment, server);
    await service.untilReady();
    return service;
  }

  get url(): string {
    return this.server.url;
  }

  /** @throws Error when the service is several processes */
  get app(): NestFastifyApplication {
    if (this.server instanceof TwoGateways) throw new Error('None of these applications is in this process');
    return this.server.app;
  }

  /** The processes, where there are several. */
  get fleet(): TwoGateways {
    if (!(this.server instanceof TwoGateways)) throw new Error('The service is one process');
    return this.server;
  }

  /** Rows as the superuser sees them, for what only a test asks. */
  query<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return withClient(this.database.adminUrl, async (client) => (await client.query<Row>(sql, parameters)).rows);
  }

  /** Like a load balancer: nothing is sent before `/health/ready` says so. */
  async untilReady(): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const response = await fetch(`${this.url}/health/ready`);
      const text = await response.text();
      if (response.ok) return;
      if (Date.now() > end) throw new Error(`The service is not ready: ${text}`);
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    await this.server.stop();
    if (this.way !== 'in-process bus') await deleteStreams(this.environment.NATS_PREFIX);
    await this.database.drop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
