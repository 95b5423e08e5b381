import { Pool } from 'pg';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import { DistributedService } from '@family-watch/testing/service/distributed-service';
import { sharedService } from '@family-watch/testing/service/shared-services';
import { StandaloneService } from '@family-watch/testing/service/standalone-service';
import type { Variables } from '@family-watch/testing/service/service-process';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { SmsInbox } from './sms-inbox.js';
import type { Deployment } from './deployments.js';

const STARTERS = { standalone: StandaloneService.start, distributed: DistributedService.start };

/** The built service behind its address: the one that the run shares, or one that a suite has for itself. */
export class TestService {
  readonly sms: SmsInbox;
  private readonly pool: Pool;

  private constructor(
    readonly way: Deployment,
    readonly url: string,
    dataDir: string,
    readonly secretKey: string,
    /** For the superuser. */
    readonly databaseUrl: string,
    private readonly own?: { service: StandaloneService | DistributedService; drop(): Promise<void> },
  ) {
    this.sms = new SmsInbox(dataDir);
    this.pool = new Pool({ connectionString: databaseUrl, max: 2, allowExitOnIdle: true });
    // A test may end all connections to the database.
    this.pool.on('error', () => undefined);
  }

  /** The service of the run, with the settings that production has by default. Nothing in it belongs to one suite. */
  static async shared(way: Deployment): Promise<TestService> {
    const { url, dataDir, secretKey, adminUrl } = await sharedService(way);
    return new TestService(way, url, dataDir, secretKey, adminUrl);
  }

  /** A service of this suite alone, on a database of its own; `settings` are environment variables. */
  static async start(way: Deployment, settings: Variables = {}): Promise<TestService> {
    const database = await createTestDatabase({ template: [userctxDatabase, mcdiskDatabase, gatewayDatabase] });
    const service = await STARTERS[way](database, { LOG_LEVEL: 'debug', ...settings });
    const own = { service, drop: () => database.drop() };
    return new TestService(way, service.url, service.dataDir, service.secretKey, database.adminUrl, own);
  }

  /** @throws Error when the service is shared: its log is everybody's */
  get logs(): string[] {
    return this.alone.logs;
  }

  /** Lines of the log at level error and above; the service has to be this suite's own. */
  get errors(): string[] {
    return this.logs.filter((line) => line.startsWith('{') && (JSON.parse(line) as { level: number }).level >= 50);
  }

  /** The processes, where there are several. */
  get fleet(): DistributedService {
    if (!(this.alone instanceof DistributedService)) throw new Error('The service is one process');
    return this.alone;
  }

  /** Addresses of the processes themselves, without the edge. */
  get processUrls(): string[] {
    return this.own?.service instanceof DistributedService ? this.own.service.processUrls : [this.url];
  }

  get databaseName(): string {
    return /\/(fwtest_\w+)/.exec(this.databaseUrl)?.[1] ?? '';
  }

  /** Rows as the superuser sees them, for what only a test asks. */
  async query<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, parameters)).rows;
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.own?.service.stop();
    await this.own?.drop();
  }

  private get alone(): StandaloneService | DistributedService {
    if (!this.own) throw new Error('The service is shared');
    return this.own.service;
  }
}
