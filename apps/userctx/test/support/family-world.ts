import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { createApplication } from '@family-watch/platform/http/create-application';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';
import { AccessTokenSigner } from '../../src/contexts/accounts/keys/access-token-signer.js';
import { AccountsModule } from '../../src/contexts/accounts/accounts.module.js';
import { PasswordHasher } from '../../src/contexts/accounts/credentials/password-hasher.js';
import { KeyRing } from '../../src/contexts/accounts/keys/key-ring.service.js';
import { ChildrenModule } from '../../src/contexts/children/children.module.js';
import { ContactsModule } from '../../src/contexts/contacts/contacts.module.js';
import { ChildWatchLinks } from '../../src/contexts/families/child-watch-links.service.js';
import { FamiliesModule } from '../../src/contexts/families/families.module.js';
import { MembershipsModule } from '../../src/contexts/memberships/memberships.module.js';
import { UserctxEventConsumer } from '../../src/infrastructure/userctx.event-consumer.js';
import { userctxDatabase } from '../../src/database/userctx-database.js';
import { UserctxOutbox } from '../../src/infrastructure/userctx.outbox.js';
import { UserctxRevocationPublisher } from '../../src/infrastructure/userctx.revocation-publisher.js';
import { UserctxUnitOfWork } from '../../src/infrastructure/userctx.unit-of-work.js';
import { Person } from './person.js';

const { schema: SCHEMA } = userctxDatabase;

/** What everybody confirms dangerous operations with. */
export const PASSWORD = 'zebra-piano-41-rain';

const NOTHING_REVOKED: RevocationFeed = {
  isFresh: true,
  isRevoked: () => false,
  onRevoked: () => () => undefined,
  onFreshness: () => () => undefined,
};

/** An event as the outbox keeps it. */
export interface StoredEvent<Payload = Record<string, unknown>> {
  name: string;
  key: string;
  payload: Payload;
}

/** Families, children and contacts of userctx behind HTTP, on a database of their own. */
export class FamilyWorld {
  private numbers = 0;
  /** The same for everybody: hashing costs more than all the rest. */
  private readonly passwordHash: Promise<string>;

  private constructor(
    private readonly testDatabase: TestDatabase,
    private readonly database: AppDatabase,
    readonly app: NestFastifyApplication,
    readonly baseUrl: string,
  ) {
    this.passwordHash = app.get(PasswordHasher, { strict: false }).hash(PASSWORD);
  }

  static async open(): Promise<FamilyWorld> {
    const testDatabase = await createTestDatabase({ template: [userctxDatabase] });
    const { url } = testDatabase;
    const limits = { poolSize: 20, connectMs: 30_000 };
    const database = await openAppDatabase({ ...userctxDatabase, url, limits });
    const environment = Object.assign(new Environment(), {
      SECRET_KEY: 'the secret of the family suites, long enough',
      RATE_LIMIT_REQUESTS: 1_000_000,
    });
    const app: NestFastifyApplication = await createApplication({
      module: rootModule(database, environment),
      environment,
      logger: pino({ level: 'silent' }),
      authenticator: new Authenticator(
        new TokenVerifier((...token) => app.get(KeyRing, { strict: false }).keySource(...token)),
        NOTHING_REVOKED,
      ),
    });
    await app.listen(0, '127.0.0.1');
    return new FamilyWorld(testDatabase, database, app, await app.getUrl());
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.close();
    await this.testDatabase.drop();
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.database.dataSource.query(sql, parameters);
  }

  /** Events of a family in the order of the outbox, of one name if given. */
  events<Payload = Record<string, unknown>>(familyId: string, name?: string): Promise<StoredEvent<Payload>[]> {
    return this.query(
      `select name, key, payload from userctx.outbox
        where key = $1 and ($2::text is null or name = $2) order by position`,
      [familyId, name ?? null],
    );
  }

  /** Somebody with an account, {@link PASSWORD} and a token. */
  async person(nickname = 'Anna'): Promise<Person> {
    const userId = randomUUID();
    this.numbers += 1;
    const phoneNumber = `139${String(this.numbers).padStart(8, '0')}`;
    await this.query(
      `insert into userctx.account
         (user_id, area_code, phone_number, nickname, time_zone, password_hash, credential_version, created_at,
          updated_at)
       values ($1, '+86', $2, $3, 'Asia/Shanghai', $4, 1, 0, 0)`,
      [userId, phoneNumber, nickname, await this.passwordHash],
    );
    return this.principal('user', userId, phoneNumber);
  }

  /** A bound watch, with its token. */
  async watchOf(familyId: string, cid: string): Promise<Person & { did: number }> {
    const did = randomInt(1, 2 ** 47);
    await this.query(
      `insert into userctx.watch (did, public_key, imei, model, firmware_version, enrolled_at, last_contact_at)
       values ($1, $2, '490154203237518', 'W7', '1.0', 0, 0)`,
      [did, randomBytes(32)],
    );
    const links = this.app.get(ChildWatchLinks, { strict: false });
    await this.app.get(UserctxUnitOfWork, { strict: false }).run(() => links.bind(familyId, cid, did));
    return Object.assign(await this.principal('watch', String(did), ''), { did });
  }

  private async principal(type: 'user' | 'watch', id: string, phoneNumber: string): Promise<Person> {
    const signer = this.app.get(AccessTokenSigner, { strict: false });
    const { accessToken } = await signer.sign({ type, id, sessionId: randomUUID() });
    return new Person(this.baseUrl, id, phoneNumber, accessToken);
  }
}

function rootModule(database: AppDatabase, environment: Environment): DynamicModule {
  const unitOfWork = new UserctxUnitOfWork(database.dataSource, SCHEMA);
  const outbox = new UserctxOutbox(unitOfWork, { onCommitted: () => undefined });
  const providers = [
    { provide: UserctxUnitOfWork, useValue: unitOfWork },
    { provide: UserctxOutbox, useValue: outbox },
    { provide: UserctxEventConsumer, useValue: { register: () => undefined } },
    { provide: UserctxRevocationPublisher, useValue: { revoke: () => Promise.resolve() } },
    { provide: Environment, useValue: environment },
  ];
  const imports = [AccountsModule, FamiliesModule, MembershipsModule, ChildrenModule, ContactsModule];
  return { module: TestUserctx, imports, providers, exports: providers.map(({ provide }) => provide) };
}

@Global()
@Module({})
class TestUserctx {}
