import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey } from 'jose';
import { CLOUD_TICKET } from '@family-watch/domain/family-cloud/contracts/ticket';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { TokenFacts } from '@family-watch/domain/kernel/contracts/revocation';
import { sealEnvelope } from '@family-watch/event-bus/envelope';
import { InProcessEventBus } from '@family-watch/event-bus/in-process-event-bus';
import { partitionOf } from '@family-watch/event-bus/partition';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { ACCESS_TOKEN, TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { createApplication } from '@family-watch/platform/http/create-application';
import { createLogger } from '@family-watch/platform/observability/logger';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { CloudsModule } from '../../src/contexts/clouds/clouds.module.js';
import { ContentsModule } from '../../src/contexts/contents/contents.module.js';
import { TICKET_KEYS } from '../../src/infrastructure/mcdisk.tokens.js';
import { DownloadsModule } from '../../src/contexts/downloads/downloads.module.js';
import { HousekeepingModule } from '../../src/contexts/housekeeping/housekeeping.module.js';
import { JanitorJob } from '../../src/contexts/housekeeping/janitor.job.js';
import { UploadsModule } from '../../src/contexts/uploads/uploads.module.js';
import { mcdiskEntities } from '../../src/database/mcdisk-entities.js';
import { mcdiskMigrations } from '../../src/database/mcdisk-migrations.js';
import { McdiskEventConsumer } from '../../src/infrastructure/mcdisk.event-consumer.js';
import { McdiskOutbox } from '../../src/infrastructure/mcdisk.outbox.js';
import { McdiskUnitOfWork } from '../../src/infrastructure/mcdisk.unit-of-work.js';

const SCHEMA = 'mcdisk';
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Keys {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

/** Everything that a row of a cloud's quota says, bytes. */
export interface Sizes {
  diskSize: number;
  usedSize: number;
  reservedSize: number;
  recycleSize: number;
}

/** mcdisk alone, over HTTP, with a database and a disk of its own; the test plays userctx. */
export class CloudServer {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    readonly database: AppDatabase,
    readonly dataDir: string,
    readonly logs: string[],
    private readonly keys: Keys,
    private readonly revoked: Set<string>,
    private readonly testDatabase: TestDatabase,
    private readonly bus: InProcessEventBus,
  ) {}

  static async start(): Promise<CloudServer> {
    const testDatabase = await createTestDatabase({
      template: [{ name: 'mcdisk', schema: SCHEMA, migrations: mcdiskMigrations }],
    });
    const database = await openAppDatabase({
      name: 'mcdisk',
      schema: SCHEMA,
      url: testDatabase.url,
      entities: mcdiskEntities,
      limits: { lockMs: 1_500 },
    });
    const dataDir = await mkdtemp(join(tmpdir(), 'mcdisk-test-'));
    const keys = await generateKeyPair(ACCESS_TOKEN.algorithm);
    const revoked = new Set<string>();
    const environment = Object.assign(new Environment(), { DATA_DIR: dataDir, RATE_LIMIT_REQUESTS: 1_000_000 });
    const authenticator = new Authenticator(new TokenVerifier(async () => keys.publicKey), {
      isFresh: true,
      isRevoked: ({ sessionId }: TokenFacts) => revoked.has(sessionId),
      onRevoked: () => () => undefined,
      onFreshness: () => () => undefined,
    });
    const logs: string[] = [];
    const logger = createLogger('trace', 'mcdisk', { write: (line: string) => void logs.push(line) });
    const bus = new InProcessEventBus({ consumers: ['mcdisk'] });
    const infrastructure = infrastructureOf({ bus, database, environment, authenticator, publicKey: keys.publicKey });
    const root = {
      module: class McdiskRoot {},
      imports: [infrastructure, CloudsModule, ContentsModule, UploadsModule, DownloadsModule, HousekeepingModule],
    };
    const app = await createApplication({ module: root, environment, logger, authenticator });
    await app.listen(0, '127.0.0.1');
    await app.get(McdiskEventConsumer, { strict: false }).start();
    const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
    return new CloudServer(app, url, database, dataDir, logs, keys, revoked, testDatabase, bus);
  }

  async stop(): Promise<void> {
    await this.app.get(McdiskEventConsumer, { strict: false }).stop();
    await this.app.close();
    await this.database.close();
    await this.testDatabase.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  get janitor(): JanitorJob {
    return this.app.get(JanitorJob, { strict: false });
  }

  get unitOfWork(): McdiskUnitOfWork {
    return this.app.get(McdiskUnitOfWork, { strict: false });
  }

  /** What userctx would tell; resolves when mcdisk has committed it. */
  async familyChanged(snapshot: FamilySnapshot, time = Date.now()): Promise<void> {
    const key = snapshot.familyId;
    const event = { id: randomUUID(), name: 'userctx.family.changed', key, time, payload: snapshot };
    await this.bus.publish(sealEnvelope('userctx', partitionOf(key), [event]));
  }

  /** Tokens as userctx signs them. */
  async tokenOf({ type, id, sessionId }: Principal): Promise<string> {
    return new SignJWT({ sid: sessionId, iat_ms: Date.now() })
      .setProtectedHeader({ alg: ACCESS_TOKEN.algorithm, typ: ACCESS_TOKEN.type, kid: 'test' })
      .setIssuer(ACCESS_TOKEN.issuer)
      .setAudience(ACCESS_TOKEN.audience)
      .setSubject(`${type}:${id}`)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(this.keys.privateKey);
  }

  /** Tickets as userctx signs them; `forge` changes what a forger would. */
  async ticketOf(
    claims: { did: number; cloudID: string; scope: string[] },
    forge: { audience?: string; type?: string; expiresAt?: number; key?: CryptoKey } = {},
  ): Promise<string> {
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: CLOUD_TICKET.algorithm, typ: forge.type ?? CLOUD_TICKET.type, kid: 'test' })
      .setIssuer(CLOUD_TICKET.issuer)
      .setAudience(forge.audience ?? CLOUD_TICKET.audience)
      .setIssuedAt()
      .setExpirationTime(forge.expiresAt ?? Math.floor(Date.now() / 1_000) + CLOUD_TICKET.lifetime)
      .sign(forge.key ?? this.keys.privateKey);
  }

  /** Ends a session, as a sign-out does. */
  revoke(sessionId: string): void {
    this.revoked.add(sessionId);
  }

  /** Changes what the service itself may not: the schema. */
  async asOwner(sql: string): Promise<void> {
    await withClient(this.testDatabase.adminUrl, (client) => client.query(sql));
  }

  /** Makes every statement that needs the row fail in time, as a database does that is stuck. */
  async withLockedRow(table: string, column: string, id: string, work: () => Promise<void>): Promise<void> {
    await withClient(this.testDatabase.adminUrl, async (client) => {
      await client.query('BEGIN');
      await client.query(`SELECT FROM mcdisk.${table} WHERE ${column} = $1 FOR UPDATE`, [id]);
      await work();
      await client.query('ROLLBACK');
    });
  }

  async sizesOf(cloudID: string): Promise<Sizes> {
    const [row] = await this.unitOfWork.executor.query<Sizes>(
      `SELECT disk_size AS "diskSize", used_size AS "usedSize", reserved_size AS "reservedSize",
              recycle_size AS "recycleSize" FROM mcdisk.family_cloud WHERE cloud_id = $1`,
      [cloudID],
    );
    if (!row) throw new Error('There is no such cloud');
    return row;
  }
}

function infrastructureOf(parts: {
  bus: InProcessEventBus;
  database: AppDatabase;
  environment: Environment;
  authenticator: Authenticator;
  publicKey: CryptoKey;
}) {
  const unitOfWork = new McdiskUnitOfWork(parts.database.dataSource, SCHEMA);
  const providers = [
    { provide: McdiskUnitOfWork, useValue: unitOfWork },
    { provide: McdiskOutbox, useValue: new McdiskOutbox(unitOfWork, { onCommitted: () => undefined }) },
    {
      provide: McdiskEventConsumer,
      useValue: new McdiskEventConsumer({
        app: 'mcdisk',
        scope: unitOfWork,
        bus: parts.bus,
        logger: quiet,
      }),
    },
    { provide: Environment, useValue: parts.environment },
    { provide: Authenticator, useValue: parts.authenticator },
    { provide: TICKET_KEYS, useValue: async () => parts.publicKey },
  ];
  @Global()
  @Module({ providers, exports: providers })
  class TestInfrastructureModule {}
  return TestInfrastructureModule;
}

/** A did of its own for each test. */
export function randomDid(): number {
  return randomBytes(6).readUIntBE(0, 6) + 1;
}
