import { Pool } from 'pg';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { DistributedService, type ProcessSettings } from '@family-watch/testing/service/distributed-service';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import { StandaloneService } from '@family-watch/testing/service/standalone-service';
import type { EnvironmentVariables } from '@family-watch/testing/service/service-process';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { SmsInbox } from './sms-inbox.js';
import type { Deployment } from './deployments.js';

/** Warning that a readiness check takes long, which happens on a busy machine. */
export const DELAYED_CHECK = 'Readiness check does not complete';
/** Warning that no heartbeat of the revocation feed has arrived in time. */
export const REVOCATIONS_STALE = 'Revocation feed is stale, rejecting requests';

/** The built service: either shared by all suites of the run, or started for a single suite. */
export class TestService {
  readonly url: string;
  /** URLs of the processes that contain the gateway, without the edge. */
  readonly gatewayUrls: readonly string[];
  readonly dataDir: string;
  readonly secretKey: string;
  readonly sms: SmsInbox;
  private readonly pool: Pool;

  private constructor(
    readonly deployment: Deployment,
    service: Omit<SharedService, 'adminUrl'>,
    /** Database URL of the superuser. */
    readonly databaseUrl: string,
    /** The service that was started for this suite alone; undefined for the shared service. */
    private readonly own?: { service: StandaloneService | DistributedService; drop(): Promise<void> },
  ) {
    ({ url: this.url, gatewayUrls: this.gatewayUrls, dataDir: this.dataDir, secretKey: this.secretKey } = service);
    this.sms = new SmsInbox(this.dataDir);
    this.pool = new Pool({ connectionString: databaseUrl, max: 2, allowExitOnIdle: true });
    // Errors of idle connections are ignored, because a test may terminate all database connections.
    this.pool.on('error', () => undefined);
  }

  /** Returns the service that all suites share, with the default settings of production. */
  static async shared(deployment: Deployment): Promise<TestService> {
    const service = await sharedService(deployment);
    return new TestService(deployment, service, service.adminUrl);
  }

  /**
   * Starts a service with its own database for this suite.
   *
   * @param settings - environment variables
   * @param processSettings - environment variables of the processes of the distributed deployment
   */
  static async start(
    deployment: Deployment,
    settings: EnvironmentVariables = {},
    processSettings: ProcessSettings = {},
  ): Promise<TestService> {
    const database = await createTestDatabase({ template: [userctxDatabase, mcdiskDatabase, gatewayDatabase] });
    const variables = { LOG_LEVEL: 'debug', ...settings };
    const service =
      deployment === 'standalone'
        ? await StandaloneService.start(database, variables)
        : await DistributedService.start(database, variables, processSettings);
    const own = { service, drop: () => database.drop() };
    return new TestService(deployment, service, database.adminUrl, own);
  }

  /** Starts standalone on a database that the suite drops. @param program - see `StandaloneService.start` */
  static async startOn(database: TestDatabase, settings: EnvironmentVariables, program?: string): Promise<TestService> {
    const service = await StandaloneService.start(database, { LOG_LEVEL: 'debug', ...settings }, program);
    const own = { service, drop: () => Promise.resolve() };
    return new TestService('standalone', service, database.adminUrl, own);
  }

  /** @throws Error when the service is shared: its log contains lines of other suites */
  get logs(): string[] {
    return this.unsharedService.logs;
  }

  /** Log lines at level error and above; the service must belong to this suite. */
  get errors(): string[] {
    return this.logs.filter((line) => line.startsWith('{') && (JSON.parse(line) as { level: number }).level >= 50);
  }

  /** Process id of the service, which must be standalone and belong to this suite. */
  get processId(): number {
    if (!(this.unsharedService instanceof StandaloneService)) throw new Error('The service has several processes');
    return this.unsharedService.processId;
  }

  /** The processes of the distributed deployment. */
  get distributed(): DistributedService {
    if (!(this.unsharedService instanceof DistributedService)) throw new Error('The service is one process');
    return this.unsharedService;
  }

  /** URLs of the processes, without the edge. */
  get processUrls(): string[] {
    return this.own?.service instanceof DistributedService ? this.own.service.processUrls : [this.url];
  }

  get databaseName(): string {
    return /\/(fwtest_\w+)/.exec(this.databaseUrl)?.[1] ?? '';
  }

  /** Runs a query as superuser. */
  async query<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, parameters)).rows;
  }

  /** Stops the service if it belongs to this suite. @returns the exit codes of its processes */
  async stop(): Promise<readonly (number | null)[]> {
    await this.pool.end();
    const exitCodes = (await this.own?.service.stop()) ?? [];
    await this.own?.drop();
    return exitCodes;
  }

  private get unsharedService(): StandaloneService | DistributedService {
    if (!this.own) throw new Error('The service is shared');
    return this.own.service;
  }
}
