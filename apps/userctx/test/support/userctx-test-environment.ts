import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, INestApplicationContext, LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import {
  openInProcessMessaging,
  type Messaging,
  type StartableRevocationPublisher,
} from '@family-watch/event-bus/messaging';
import type { RevocationSource } from '@family-watch/event-bus/revocation-feed/revocation-index';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { runWithTransaction } from '@family-watch/platform/database/transaction-context';
import { createApplication } from '@family-watch/platform/http/create-application';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { toStructuredLogger } from '@family-watch/platform/observability/logger';
import { GENEROUS_LIMITS } from '@family-watch/testing/database/generous-limits';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { PasswordHasher } from '../../src/accounts/credentials/passwords.js';
import { KeyRingService } from '../../src/accounts/keys/key-ring.service.js';
import { userctxDatabase } from '../../src/database/userctx-database.js';
import { UserctxModule } from '../../src/userctx.module.js';

export const PASSWORD = 'zebra-piano-41-rain';

const SILENT_LOGGER = pino({ level: 'silent' });
const SILENT_NEST_LOGGER: LoggerService = { log: () => undefined, warn: () => undefined, error: () => undefined };

/** Value that disables a rate limit, because suites share an IP address or database and would reach the limit. */
const NO_LIMIT = 1_000_000;

let createdPhoneNumbers = 0;

/** Records published revocations, and can simulate an unavailable revocation feed. */
class RecordingPublisher implements StartableRevocationPublisher {
  readonly published: Revocation[] = [];
  isFailing = false;
  private pendingStart?: Promise<void>;

  constructor(private readonly feed: StartableRevocationPublisher) {}

  async revoke(revocations: Revocation[]): Promise<void> {
    if (this.isFailing) throw new Error('The revocation feed is unavailable');
    this.published.push(...revocations);
    await this.feed.revoke(revocations);
  }

  /** Starts the revocation feed once, for the first of several replicas. */
  async start(source: RevocationSource): Promise<void> {
    this.pendingStart ??= Promise.resolve(this.feed.start(source));
    await this.pendingStart;
  }

  /** Does nothing, because other replicas may still use the feed. Closing the messaging also closes the feed. */
  async close(): Promise<void> {}
}

/** Dependencies that the replicas of a test environment share. */
export interface TestDependencies {
  testDatabase: TestDatabase;
  database: AppDatabase;
  environment: Environment;
  messaging: Messaging;
  publisher: RecordingPublisher;
}

/** Parts of a replica that do not run by themselves. The test runs them when it needs them. */
export interface DisabledParts {
  /** Names of jobs that never run. They are stopped before the replica starts; a job stopped later may have run. */
  disabledJobs?: readonly string[];
  /** The outbox relay does not run; the test delivers or publishes the stored events. */
  isRelayDisabled?: true;
  /** Neither the outbox relay nor the event consumer runs. */
  isEventBusDisabled?: true;
}

/** Runs replicas of userctx on a test database. The test itself acts as the other apps on the event bus. */
export class UserctxTestEnvironment {
  private readonly replicas = new Set<INestApplicationContext>();
  /** Hash of {@link PASSWORD}. All accounts share one hash, because hashing is the most expensive step. */
  private passwordHash?: Promise<string>;

  constructor(private readonly dependencies: TestDependencies) {}

  async close(): Promise<void> {
    const { messaging, database, testDatabase, environment } = this.dependencies;
    for (const replica of this.replicas) await replica.close();
    await messaging.close();
    await database.close();
    await testDatabase.drop();
    await rm(environment.DATA_DIR, { recursive: true });
  }

  get publisher(): RecordingPublisher {
    return this.dependencies.publisher;
  }

  get testDatabase(): TestDatabase {
    return this.dependencies.testDatabase;
  }

  get environment(): Environment {
    return this.dependencies.environment;
  }

  /** Starts a replica of userctx without HTTP. Replicas share database and bus. */
  async replica(settings: Partial<Environment> = {}, disabled: DisabledParts = {}): Promise<INestApplicationContext> {
    const { module } = this.userctx(settings, () => replica);
    const builder = Test.createTestingModule({ imports: [module] });
    const replica: INestApplicationContext = await builder.setLogger(SILENT_NEST_LOGGER).compile();
    disableParts(disabled, replica);
    await replica.init();
    this.replicas.add(replica);
    return replica;
  }

  /** Creates a replica with HTTP. The caller must make it listen or initialize it. */
  async application(disabled: DisabledParts = {}, logger = SILENT_LOGGER): Promise<NestFastifyApplication> {
    const parts = this.userctx({}, () => app);
    const app: NestFastifyApplication = await createApplication({ ...parts, logger });
    disableParts(disabled, app);
    this.replicas.add(app);
    return app;
  }

  /** Starts a replica with HTTP on a free loopback port. */
  async startHttpReplica(): Promise<string> {
    const app = await this.application();
    await app.listen(0, '127.0.0.1');
    return app.getUrl();
  }

  /** Closes a replica before the end of the suite. */
  async closeReplica(replica: INestApplicationContext): Promise<void> {
    this.replicas.delete(replica);
    await replica.close();
  }

  /** Publishes events as another app. Resolves when the events are handled and committed. */
  async publish(events: DomainEvent[]): Promise<void> {
    await this.dependencies.messaging.bus.publish(createEnvelope('gateway', 0, events));
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.dependencies.database.dataSource.query(sql, parameters);
  }

  /** Waits, also inside a transaction, until a statement waits for a lock that another transaction holds. */
  waitForBlockedStatement(): Promise<void> {
    const findBlocked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const isBlocked = async () => (await this.query(findBlocked)).length > 0;
    return runWithTransaction(undefined, () => waitUntil('a statement waits for a lock', isBlocked));
  }

  /** Returns a unique phone number. */
  uniquePhone(): { areaCode: string; phoneNumber: string } {
    createdPhoneNumbers += 1;
    return { areaCode: '+86', phoneNumber: `139${String(createdPhoneNumbers).padStart(8, '0')}` };
  }

  /** Creates an account with {@link PASSWORD} as if its owner had signed up. */
  async createAccount(
    replica: INestApplicationContext,
    nickname: string,
  ): Promise<{ userId: string; phoneNumber: string }> {
    const userId = randomUUID();
    const { areaCode, phoneNumber } = this.uniquePhone();
    this.passwordHash ??= replica.get(PasswordHasher, { strict: false }).hash(PASSWORD);
    await this.query(
      `INSERT INTO userctx.account
         (user_id, area_code, phone_number, nickname, time_zone, password_hash, credential_version, created_at,
          updated_at)
       VALUES ($1, $2, $3, $4, 'Asia/Shanghai', $5, 1, 0, 0)`,
      [userId, areaCode, phoneNumber, nickname, await this.passwordHash],
    );
    return { userId, phoneNumber };
  }

  /** Returns all sent SMS, oldest first. */
  async sentMessages(): Promise<Record<string, unknown>[]> {
    const text = await readFile(this.smsOutbox, 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  get smsOutbox(): string {
    return join(this.environment.DATA_DIR, 'sms-outbox.jsonl');
  }

  private userctx(
    settings: Partial<Environment>,
    replica: () => INestApplicationContext,
  ): { module: DynamicModule; environment: Environment; authenticator: Authenticator } {
    const { database, messaging, publisher: revocationPublisher } = this.dependencies;
    const environment = { ...this.environment, ...settings };
    const verifier = new TokenVerifier((...token) =>
      replica()
        .get(KeyRingService)
        .keySource(...token),
    );
    const authenticator = new Authenticator(verifier, messaging.revocations);
    const common = { environment, authenticator };
    const module = UserctxModule.forRoot({
      ...common,
      database,
      messaging,
      revocationPublisher,
      logger: SILENT_LOGGER,
    });
    return { ...common, module };
  }
}

function disableParts(
  { disabledJobs = [], isRelayDisabled, isEventBusDisabled }: DisabledParts,
  replica: INestApplicationContext,
): void {
  for (const job of disabledJobs) void replica.get(JobScheduler).stop(job);
  const runtime = replica.get(EventBusRuntime);
  if (isRelayDisabled) runtime.start = () => replica.get(EventConsumer).start();
  if (isEventBusDisabled) runtime.start = () => Promise.resolve();
}

/** @param settings - environment variables that replace those of the suites, which disable rate limits */
export async function openTestDependencies(settings: Partial<Environment> = {}): Promise<TestDependencies> {
  const testDatabase = await createTestDatabase({ template: [userctxDatabase] });
  const limits = { ...GENEROUS_LIMITS, poolSize: 20 };
  const database = await openAppDatabase({ ...userctxDatabase, url: testDatabase.url, limits });
  const messaging = openInProcessMessaging(['userctx'], toStructuredLogger(SILENT_LOGGER));
  const environment = {
    ...new Environment(),
    DATA_DIR: await mkdtemp(join(tmpdir(), 'fw-userctx-')),
    SECRET_KEY: 'the secret of the userctx suites, long enough',
    RATE_LIMIT_SIGN_IN: NO_LIMIT,
    RATE_LIMIT_SMS_ADDRESS: NO_LIMIT,
    RATE_LIMIT_SMS_PREFIX: NO_LIMIT,
    RATE_LIMIT_SMS_TOTAL: NO_LIMIT,
    ...settings,
  };
  const publisher = new RecordingPublisher(await messaging.openRevocationPublisher());
  return { testDatabase, database, environment, messaging, publisher };
}
