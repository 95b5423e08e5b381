import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, INestApplicationContext, LoggerService, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { openInProcessMessaging } from '@family-watch/event-bus/messaging';
import type { Messaging, StartableRevocationPublisher } from '@family-watch/event-bus/messaging';
import type { RevocationSource } from '@family-watch/event-bus/revocation-feed/revocation-source';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { createApplication } from '@family-watch/platform/http/create-application';
import { toStructuredLogger } from '@family-watch/platform/observability/structured-logger';
import { PATIENT_LIMITS } from '@family-watch/testing/database/patient-limits';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';
import { KeyRingService } from '../../src/contexts/accounts/keys/key-ring.service.js';
import { userctxDatabase } from '../../src/database/userctx-database.js';
import { UserctxEventConsumer } from '../../src/infrastructure/userctx.event-consumer.js';
import { UserctxEvents } from '../../src/infrastructure/userctx-infrastructure.module.js';
import { UserctxModule } from '../../src/userctx.module.js';

export const PASSWORD = 'zebra-piano-41-rain';

const SILENT = pino({ level: 'silent' });
const NEST_SILENT: LoggerService = { log: () => undefined, warn: () => undefined, error: () => undefined };

/** Limits that the suites of a worker would reach together, on a database or an address that they share. */
const NO_LIMIT = 1_000_000;

let phones = 0;

/** Keeps what was published, and fails when told to. */
class RecordingPublisher implements StartableRevocationPublisher {
  readonly published: Revocation[] = [];
  failing = false;
  private started?: Promise<void>;

  constructor(private readonly feed: StartableRevocationPublisher) {}

  async revoke(revocations: Revocation[]): Promise<void> {
    if (this.failing) throw new Error('the feed is away');
    this.published.push(...revocations);
    await this.feed.revoke(revocations);
  }

  /** Once, by the first of several replicas. */
  async start(source: RevocationSource): Promise<void> {
    this.started ??= Promise.resolve(this.feed.start(source));
    await this.started;
  }

  /** The feed serves the other replicas, and is closed with the messaging. */
  async close(): Promise<void> {}
}

/** What the replicas of a world have in common. */
export interface TestDependencies {
  testDatabase: TestDatabase;
  database: AppDatabase;
  environment: Environment;
  messaging: Messaging;
  publisher: RecordingPublisher;
}

/** What does not happen by itself in a replica, because the test makes it happen. */
export interface ManualParts {
  /** These jobs are never started: one that is stopped after the start may have run before. */
  jobs?: readonly Type<{ start(): Promise<void> }>[];
  /** The outbox stays as it is: its events reach a handler when the test delivers or publishes them. */
  relay?: true;
}

/** userctx as it is, on a database of its own. The test plays the other apps on the bus. */
export class UserctxTestEnvironment {
  private readonly replicas = new Set<INestApplicationContext>();

  constructor(private readonly surroundings: TestDependencies) {}

  async close(): Promise<void> {
    const { messaging, database, testDatabase, environment } = this.surroundings;
    for (const replica of this.replicas) await replica.close();
    await messaging.close();
    await database.close();
    await testDatabase.drop();
    await rm(environment.DATA_DIR, { recursive: true });
  }

  get publisher(): RecordingPublisher {
    return this.surroundings.publisher;
  }

  get testDatabase(): TestDatabase {
    return this.surroundings.testDatabase;
  }

  get environment(): Environment {
    return this.surroundings.environment;
  }

  /** One running process of userctx without HTTP; several share the database and the bus. */
  async replica(settings: Partial<Environment> = {}, byHand: ManualParts = {}): Promise<INestApplicationContext> {
    const { module } = this.userctx(settings, () => replica);
    const builder = Test.createTestingModule({ imports: [module] });
    const replica: INestApplicationContext = await builder.setLogger(NEST_SILENT).compile();
    leave(byHand, replica);
    await replica.init();
    this.replicas.add(replica);
    return replica;
  }

  /** The same behind HTTP, before it listens. */
  async application(byHand: ManualParts = {}, logger = SILENT): Promise<NestFastifyApplication> {
    const parts = this.userctx({}, () => app);
    const app: NestFastifyApplication = await createApplication({ ...parts, logger });
    leave(byHand, app);
    this.replicas.add(app);
    return app;
  }

  /** The same behind HTTP, on a free port of the loopback. */
  async serve(): Promise<string> {
    const app = await this.application();
    await app.listen(0, '127.0.0.1');
    return app.getUrl();
  }

  /** Ends one of the replicas before the others. */
  async closeReplica(replica: INestApplicationContext): Promise<void> {
    this.replicas.delete(replica);
    await replica.close();
  }

  /** Publishes events as another app; resolves when they are handled and committed. */
  async publish(events: DomainEvent[]): Promise<void> {
    await this.surroundings.messaging.bus.publish(createEnvelope('gateway', 0, events));
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.surroundings.database.dataSource.query(sql, parameters);
  }

  /** A phone number that nothing else uses. */
  phone(): { areaCode: string; phoneNumber: string } {
    phones += 1;
    return { areaCode: '+86', phoneNumber: `139${String(phones).padStart(8, '0')}` };
  }

  /** What was sent by SMS, oldest first. */
  async messages(): Promise<Record<string, unknown>[]> {
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
    const { database, messaging, publisher: revocationSide } = this.surroundings;
    const environment = { ...this.environment, ...settings };
    const verifier = new TokenVerifier((...token) =>
      replica()
        .get(KeyRingService)
        .keySource(...token),
    );
    const authenticator = new Authenticator(verifier, messaging.revocations);
    const common = { environment, authenticator };
    const module = UserctxModule.forRoot({ ...common, database, messaging, revocationSide, logger: SILENT });
    return { ...common, module };
  }
}

function leave({ jobs = [], relay }: ManualParts, replica: INestApplicationContext): void {
  for (const job of jobs) replica.get(job).start = () => Promise.resolve();
  if (relay) replica.get(UserctxEvents).start = () => replica.get(UserctxEventConsumer).start();
}

/** @param settings - in addition to those that keep suites from each other's limits */
export async function openTestDependencies(settings: Partial<Environment> = {}): Promise<TestDependencies> {
  const testDatabase = await createTestDatabase({ template: [userctxDatabase] });
  const limits = { ...PATIENT_LIMITS, poolSize: 20 };
  const database = await openAppDatabase({ ...userctxDatabase, url: testDatabase.url, limits });
  const messaging = openInProcessMessaging(['userctx'], toStructuredLogger(SILENT));
  const environment = {
    ...new Environment(),
    DATA_DIR: await mkdtemp(join(tmpdir(), 'fw-userctx-')),
    SECRET_KEY: 'the secret of the userctx suites, long enough',
    RATE_LIMIT_REQUESTS: NO_LIMIT,
    RATE_LIMIT_SIGN_IN: NO_LIMIT,
    RATE_LIMIT_SMS_ADDRESS: NO_LIMIT,
    RATE_LIMIT_SMS_TOTAL: NO_LIMIT,
    ...settings,
  };
  const publisher = new RecordingPublisher(await messaging.openRevocationPublisher());
  return { testDatabase, database, environment, messaging, publisher };
}
