import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import type { DynamicModule, LoggerService } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import type { SmsScene } from '@family-watch/domain/accounts/contracts/sms-scene';
import type { TokensDto } from '@family-watch/domain/accounts/dto/tokens.dto';
import type { Revocation, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';
import { AccountsModule } from '../../src/contexts/accounts/accounts.module.js';
import { SignInService } from '../../src/contexts/accounts/sessions/sign-in.service.js';
import { SmsCodeService } from '../../src/contexts/accounts/codes/sms-code.service.js';
import type { GivenCode } from '../../src/contexts/accounts/codes/sms-code.service.js';
import { userctxDatabase } from '../../src/database/userctx-database.js';
import { UserctxOutbox } from '../../src/infrastructure/userctx.outbox.js';
import { UserctxRevocationPublisher } from '../../src/infrastructure/userctx.revocation-publisher.js';
import { UserctxUnitOfWork } from '../../src/infrastructure/userctx.unit-of-work.js';

const { schema: SCHEMA } = userctxDatabase;

/** Keeps what was published, and fails when told to. */
export class RecordingPublisher extends UserctxRevocationPublisher {
  readonly published: Revocation[] = [];
  failing = false;
  private next?: RevocationPublisher;

  /** Hands on what is published. */
  forwardTo(next: RevocationPublisher): void {
    this.next = next;
  }

  async revoke(revocations: Revocation[]): Promise<void> {
    if (this.failing) throw new Error('the feed is away');
    this.published.push(...revocations);
    await this.next?.revoke(revocations);
  }
}

const SILENT: LoggerService = { log: () => undefined, warn: () => undefined, error: () => undefined };

export const ADDRESS = '192.0.2.1';
export const PASSWORD = 'zebra-piano-41-rain';

/** The accounts context on a database of its own. */
export class AccountsWorld {
  private readonly replicas: TestingModule[] = [];
  private phones = 0;

  private constructor(
    private readonly testDatabase: TestDatabase,
    readonly database: AppDatabase,
    readonly environment: Environment,
    readonly publisher: RecordingPublisher,
  ) {}

  static async open(settings: Partial<Environment> = {}): Promise<AccountsWorld> {
    const testDatabase = await createTestDatabase({ template: [userctxDatabase] });
    const limits = { poolSize: 20, connectMs: 30_000 };
    const database = await openAppDatabase({ ...userctxDatabase, url: testDatabase.url, limits });
    const environment = Object.assign(new Environment(), {
      DATA_DIR: await mkdtemp(join(tmpdir(), 'fw-accounts-')),
      SECRET_KEY: 'the secret of the accounts suites, long enough',
      RATE_LIMIT_SMS_ADDRESS: 10_000,
      RATE_LIMIT_SIGN_IN: 10_000,
      ...settings,
    });
    return new AccountsWorld(testDatabase, database, environment, new RecordingPublisher());
  }

  async close(): Promise<void> {
    for (const replica of this.replicas) await replica.close();
    await this.database.close();
    await this.testDatabase.drop();
    await rm(this.environment.DATA_DIR, { recursive: true });
  }

  /** The module of the infrastructure that an app brings. */
  infrastructure(settings: Partial<Environment> = {}): DynamicModule {
    const unitOfWork = new UserctxUnitOfWork(this.database.dataSource, SCHEMA);
    const outbox = new UserctxOutbox(unitOfWork, { onCommitted: () => undefined });
    const providers = [
      { provide: UserctxUnitOfWork, useValue: unitOfWork },
      { provide: UserctxOutbox, useValue: outbox },
      { provide: UserctxRevocationPublisher, useValue: this.publisher },
      { provide: Environment, useValue: { ...this.environment, ...settings } },
    ];
    return { module: TestInfrastructure, providers, exports: providers.map(({ provide }) => provide) };
  }

  /** One running process of userctx; several share the database. */
  async replica(settings: Partial<Environment> = {}): Promise<TestingModule> {
    const builder = Test.createTestingModule({ imports: [this.infrastructure(settings), AccountsModule] });
    const replica = await builder.setLogger(SILENT).compile();
    await replica.init();
    this.replicas.push(replica);
    return replica;
  }

  /** A phone number that nothing else uses. */
  phone(): { areaCode: string; phoneNumber: string } {
    this.phones += 1;
    return { areaCode: '+86', phoneNumber: `139${String(this.phones).padStart(8, '0')}` };
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.database.dataSource.query(sql, parameters);
  }

  /** Lines of the outbox of messages, oldest first. */
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

  /** Asks for a code and reads it as the phone's holder would. */
  async code(
    replica: TestingModule,
    phone: { areaCode: string; phoneNumber: string },
    scene: SmsScene,
  ): Promise<GivenCode> {
    const { challengeId } = await replica.get(SmsCodeService).send({ ...phone, scene }, ADDRESS);
    const sent = (await this.messages()).findLast(
      (message) => message['phoneNumber'] === phone.phoneNumber && message['scene'] === scene,
    );
    return { challengeId, code: String(sent?.['code']) };
  }

  async signUp(
    replica: TestingModule,
    phone = this.phone(),
    password: string | undefined = PASSWORD,
  ): Promise<TokensDto> {
    const code = await this.code(replica, phone, 'SIGN_UP');
    return replica.get(SignInService).signUp({ ...code, password }, { address: ADDRESS, client: 'suite' });
  }
}

@Global()
@Module({})
class TestInfrastructure {}

/** Another six digits. */
export function wrong(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}
