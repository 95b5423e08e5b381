import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { pino } from 'pino';
import type { DomainEventName, DomainEvents } from '@family-watch/domain/events';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { Revocation, RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import { sealEnvelope } from '@family-watch/event-bus/envelope';
import { InProcessEventBus } from '@family-watch/event-bus/in-process-event-bus';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { createApplication } from '@family-watch/platform/http/create-application';
import type { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';
import { KeyRing } from '../../src/contexts/accounts/keys/key-ring.service.js';
import { SignInService } from '../../src/contexts/accounts/sessions/sign-in.service.js';
import { SmsCodeService } from '../../src/contexts/accounts/codes/sms-code.service.js';
import { ChildRulesModule } from '../../src/contexts/child-rules/child-rules.module.js';
import { FriendsModule } from '../../src/contexts/friends/friends.module.js';
import { PositioningModule } from '../../src/contexts/positioning/positioning.module.js';
import { RemoteControlModule } from '../../src/contexts/remote-control/remote-control.module.js';
import { WatchSettingsModule } from '../../src/contexts/watch-settings/watch-settings.module.js';
import { ChildrenService } from '../../src/contexts/children/children.service.js';
import { LocationsModule } from '../../src/contexts/locations/locations.module.js';
import { UserctxEventConsumer } from '../../src/infrastructure/userctx.event-consumer.js';
import { userctxDatabase } from '../../src/database/userctx-database.js';
import { UserctxOutbox } from '../../src/infrastructure/userctx.outbox.js';
import { UserctxRevocationPublisher } from '../../src/infrastructure/userctx.revocation-publisher.js';
import { UserctxUnitOfWork } from '../../src/infrastructure/userctx.unit-of-work.js';

const { schema: SCHEMA } = userctxDatabase;

const SECRET = 'the secret of the watches suites, long enough';
export const PASSWORD = 'zebra-piano-41-rain';

const NOTHING_REVOKED: RevocationFeed = {
  isFresh: true,
  isRevoked: () => false,
  onRevoked: () => () => undefined,
  onFreshness: () => () => undefined,
};

class RecordingPublisher extends UserctxRevocationPublisher {
  readonly published: Revocation[] = [];

  async revoke(revocations: Revocation[]): Promise<void> {
    this.published.push(...revocations);
  }
}

@Global()
@Module({})
class TestUserctx {}

/** The watches and locations contexts, with everything they stand on, over a database of their own. */
export class WatchesWorld {
  readonly publisher = new RecordingPublisher();
  private readonly replicas = new Set<{ close(): Promise<void> }>();
  private readonly buses = new Map<TestingModule, InProcessEventBus>();
  private phones = 0;

  private constructor(
    readonly testDatabase: TestDatabase,
    private readonly database: AppDatabase,
    private readonly dataDir: string,
  ) {}

  static async open(): Promise<WatchesWorld> {
    const testDatabase = await createTestDatabase({ template: [userctxDatabase] });
    const url = testDatabase.url;
    const limits = { poolSize: 20, connectMs: 30_000 };
    const database = await openAppDatabase({ ...userctxDatabase, url, limits });
    return new WatchesWorld(testDatabase, database, await mkdtemp(join(tmpdir(), 'fw-watches-')));
  }

  async close(): Promise<void> {
    for (const replica of this.replicas) await replica.close();
    await this.database.close();
    await this.testDatabase.drop();
    await rm(this.dataDir, { recursive: true });
  }

  /**
   * One running process of userctx; several share the database.
   *
   * @param byHand - jobs that run only when the test runs them. They are never started: one that is stopped after the
   *   start may have run before.
   */
  async replica(settings: Partial<Environment> = {}, byHand: Type<PeriodicJob>[] = []): Promise<TestingModule> {
    const { root, bus } = this.userctx(settings);
    const replica = await Test.createTestingModule({ imports: [root] }).compile();
    for (const job of byHand) replica.get(job).start = () => Promise.resolve();
    await replica.init();
    this.replicas.add(replica);
    this.buses.set(replica, bus);
    return replica;
  }

  /** Ends one of the replicas before the others. */
  async closeReplica(replica: TestingModule): Promise<void> {
    this.replicas.delete(replica);
    this.buses.delete(replica);
    await replica.close();
  }

  /** Brings events over the bus to whatever the modules registered; resolves when they are handled and committed. */
  async publish(replica: TestingModule, events: DomainEvent[]): Promise<void> {
    const bus = this.buses.get(replica);
    if (!bus) throw new Error('This replica has no bus');
    const consumer = replica.get(UserctxEventConsumer);
    await consumer.start();
    await bus.publish(sealEnvelope('gateway', 0, events));
    await consumer.stop();
  }

  /** The same behind HTTP, on a free port of the loopback. */
  async serve(settings: Partial<Environment> = {}): Promise<string> {
    const { root, environment } = this.userctx({ RATE_LIMIT_REQUESTS: 1_000_000, ...settings });
    const app: NestFastifyApplication = await createApplication({
      module: root,
      environment,
      logger: pino({ level: 'silent' }),
      authenticator: new Authenticator(
        new TokenVerifier((...token) => app.get(KeyRing, { strict: false }).keySource(...token)),
        NOTHING_REVOKED,
      ),
    });
    await app.listen(0, '127.0.0.1');
    this.replicas.add(app);
    return app.getUrl();
  }

  private userctx(settings: Partial<Environment>): {
    root: DynamicModule;
    environment: Environment;
    bus: InProcessEventBus;
  } {
    const unitOfWork = new UserctxUnitOfWork(this.database.dataSource, SCHEMA);
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const bus = new InProcessEventBus({ consumers: [SCHEMA] });
    const limits = { RATE_LIMIT_SMS_ADDRESS: 10_000, RATE_LIMIT_SIGN_IN: 10_000 };
    const environment = { ...new Environment(), DATA_DIR: this.dataDir, SECRET_KEY: SECRET, ...limits, ...settings };
    const providers = [
      { provide: UserctxUnitOfWork, useValue: unitOfWork },
      { provide: UserctxOutbox, useValue: new UserctxOutbox(unitOfWork, { onCommitted: () => undefined }) },
      {
        provide: UserctxEventConsumer,
        useValue: new UserctxEventConsumer({ app: SCHEMA, scope: unitOfWork, bus, logger }),
      },
      { provide: UserctxRevocationPublisher, useValue: this.publisher },
      { provide: Environment, useValue: environment },
    ];
    const exported = providers.map(({ provide }) => provide);
    const root = {
      module: TestUserctx,
      imports: [
        LocationsModule,
        FriendsModule,
        RemoteControlModule,
        WatchSettingsModule,
        ChildRulesModule,
        PositioningModule,
      ],
      providers,
      exports: exported,
    };
    return { root, environment, bus };
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.database.dataSource.query(sql, parameters);
  }

  /** Payloads of the events of this name for this key, oldest first. */
  async events<Name extends DomainEventName>(name: Name, key: string): Promise<DomainEvents[Name][]> {
    const rows = await this.query<{ payload: DomainEvents[Name] }>(
      'select payload from userctx.outbox where name = $1 and key = $2 order by position',
      [name, key],
    );
    return rows.map(({ payload }) => payload);
  }

  /** Hands an event to a handler as the consumer would. */
  async deliver<Name extends DomainEventName>(
    replica: TestingModule,
    handler: EventHandler<DomainEvents, Name>,
    event: { name: Name; payload: DomainEvents[Name]; time?: number },
  ): Promise<void> {
    const whole = { id: crypto.randomUUID(), key: 'any', time: Date.now(), ...event };
    await replica.get(UserctxUnitOfWork).run(() => handler.handle(whole as Parameters<typeof handler.handle>[0]));
  }

  /** A person who signed up now. */
  async person(replica: TestingModule): Promise<Principal> {
    this.phones += 1;
    const phone = { areaCode: '+86', phoneNumber: `138${String(this.phones).padStart(8, '0')}` };
    const { challengeId } = await replica.get(SmsCodeService).send({ ...phone, scene: 'SIGN_UP' }, '192.0.2.1');
    const sent = (await readFile(join(this.dataDir, 'sms-outbox.jsonl'), 'utf8')).trim().split('\n');
    const { code } = JSON.parse(sent.findLast((line) => line.includes(phone.phoneNumber)) ?? '{}') as { code: string };
    const tokens = await replica
      .get(SignInService)
      .signUp({ challengeId, code, password: PASSWORD }, { address: '192.0.2.1', client: 'suite' });
    return { type: 'user', id: tokens.userId, sessionId: 'suite' };
  }

  /** A child of the person's own family. */
  child(replica: TestingModule, owner: Principal, timeZone = 'Asia/Shanghai'): Promise<string> {
    return replica.get(ChildrenService).create(owner, {
      name: 'Mia',
      phoneNumber: '13812345678',
      areaCode: '+86',
      appellation: 'Mimi',
      weight: 120,
      height: 125,
      timeZone,
    });
  }

  async familyOf(cid: string): Promise<string> {
    const [link] = await this.query<{ family_id: string }>(
      'select family_id from userctx.family_child where cid = $1',
      [cid],
    );
    return String(link?.family_id);
  }
}
