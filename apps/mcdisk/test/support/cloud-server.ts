import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import type { DataExportSource } from '@family-watch/domain/privacy/contracts/data-export';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { openInProcessMessaging, type Messaging } from '@family-watch/event-bus/messaging';
import { partitionOf } from '@family-watch/event-bus/partition';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { ACCESS_TOKEN_FORMAT, TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { createApplication } from '@family-watch/platform/http/create-application';
import { createLogger, toStructuredLogger } from '@family-watch/platform/observability/logger';
import { GENEROUS_LIMITS } from '@family-watch/testing/database/generous-limits';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { oncePerProcess } from '@family-watch/testing/process/once-per-process';
import { RUN_FOLDER_VARIABLE } from '@family-watch/testing/reporting/run-counters';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { UploadTerminationService } from '../../src/transfers/uploads/upload-termination.service.js';
import { mcdiskDatabase } from '../../src/database/mcdisk-database.js';
import { McdiskModule } from '../../src/mcdisk.module.js';
import { McdiskUnitOfWork } from '../../src/infrastructure/mcdisk-infrastructure.js';
import { CloudClient } from './cloud-client.js';

/** Keys that sign and verify access tokens and tickets. */
export interface SigningKeys {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

/** The constants of a kind of ticket; the lifetime in seconds. */
type TicketFormat = Record<'issuer' | 'audience' | 'type' | 'algorithm', string> & { lifetime: number };

/** Invalid properties of a ticket. */
export interface TicketForgery {
  audience?: string;
  type?: string;
  /** Unix seconds. */
  expiresAt?: number;
  key?: CryptoKey;
}

/** Database, disk, keys and revocations, which all nodes of one service share. */
export interface SharedByNodes {
  databaseUrl: string;
  dataDir: string;
  keys: SigningKeys;
  /** Ids of the sessions that have ended. */
  revokedSessions: Set<string>;
}

/** The quota and usage that the row of a cloud stores, bytes. */
export interface CloudSizes {
  diskSize: number;
  usedSize: number;
  reservedSize: number;
  recycleSize: number;
}

/** Runs mcdisk without the other apps, with its own database and disk. The test publishes the events of userctx. */
export class CloudServer {
  private static readonly startOnce = oncePerProcess(
    async () => {
      const server = await CloudServer.start();
      server.isShared = true;
      return server;
    },
    (server) => server.close(),
  );
  private isShared = false;

  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    readonly database: AppDatabase,
    readonly logs: string[],
    readonly shared: SharedByNodes,
    private readonly testDatabase: TestDatabase | undefined,
    private readonly messaging: Messaging,
  ) {}

  /** @param settings additional environment variables, which override those that every test server has */
  static async start(settings: Partial<Environment> = {}, dataExports?: DataExportSource): Promise<CloudServer> {
    const testDatabase = await createTestDatabase({ template: [mcdiskDatabase] });
    const dataDir = await mkdtemp(join(process.env[RUN_FOLDER_VARIABLE] ?? tmpdir(), 'mcdisk-'));
    const keys = await generateKeyPair(ACCESS_TOKEN_FORMAT.algorithm);
    return CloudServer.open(
      { databaseUrl: testDatabase.url, dataDir, keys, revokedSessions: new Set() },
      testDatabase,
      settings,
      dataExports,
    );
  }

  /**
   * Returns a server that all suites of a jest worker share. Suites on a shared server create their own families.
   * Suites that need special settings, stop the app, or count rows of other suites must start their own server.
   */
  static getShared(): Promise<CloudServer> {
    return CloudServer.startOnce();
  }

  /**
   * Starts another node on the database and the disk of `first`, with its own bus. The caller must stop the new node
   * before `first`.
   */
  static startSecondNode(first: CloudServer, dataExports?: DataExportSource): Promise<CloudServer> {
    return CloudServer.open(first.shared, undefined, {}, dataExports);
  }

  /** Starts a node on a database and a disk that the caller created and will remove. */
  static async open(
    shared: SharedByNodes,
    testDatabase?: TestDatabase,
    settings: Partial<Environment> = {},
    dataExports?: DataExportSource,
  ): Promise<CloudServer> {
    const { databaseUrl, dataDir, keys, revokedSessions } = shared;
    const database = await openAppDatabase({ ...mcdiskDatabase, url: databaseUrl, limits: GENEROUS_LIMITS });
    const environment = Object.assign(new Environment(), {
      DATA_DIR: dataDir,
      SHUTDOWN_GRACE: 1,
      ...settings,
    });
    const authenticator = new Authenticator(new TokenVerifier(async () => keys.publicKey), {
      isFresh: true,
      isRevoked: ({ sessionId }: TokenIdentity) => revokedSessions.has(sessionId),
      onRevoked: () => () => undefined,
      onFreshnessChange: () => () => undefined,
    });
    const logs: string[] = [];
    const logger = createLogger('trace', 'mcdisk', { write: (line: string) => void logs.push(line) });
    const messaging = openInProcessMessaging(['mcdisk'], toStructuredLogger(logger));
    const app = await createApplication({
      module: McdiskModule.forRoot({
        database,
        environment,
        authenticator,
        messaging,
        logger,
        verificationKeys: async () => keys.publicKey,
        ...(dataExports && { dataExports }),
      }),
      environment,
      logger,
      authenticator,
    });
    await app.listen(0, '127.0.0.1');
    const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
    return new CloudServer(app, url, database, logs, shared, testDatabase, messaging);
  }

  /** Stops the server. Does not stop a shared server, which other suites still use. */
  async stop(): Promise<void> {
    if (!this.isShared) await this.close();
  }

  private async close(): Promise<void> {
    await this.app.close();
    await this.messaging.close();
    await this.database.close();
    if (!this.testDatabase) return;
    await this.testDatabase.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  get dataDir(): string {
    return this.shared.dataDir;
  }

  private get adminUrl(): string {
    if (!this.testDatabase) throw new Error('Only the first node created the database');
    return this.testDatabase.adminUrl;
  }

  /** Returns a provider of the app. */
  get<Provider>(type: abstract new (...args: never[]) => Provider): Provider {
    return this.app.get<Provider>(type, { strict: false });
  }

  get uploadTermination(): UploadTerminationService {
    return this.get(UploadTerminationService);
  }

  get unitOfWork(): McdiskUnitOfWork {
    return this.get(McdiskUnitOfWork);
  }

  query<Row = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.unitOfWork.executor.query<Row>(sql, parameters);
  }

  /** Returns a client that calls the operations as this principal. */
  async as(principal: Principal): Promise<CloudClient> {
    return new CloudClient(this.url, await this.signAccessToken(principal));
  }

  /** Publishes a family event of userctx; resolves when mcdisk has committed it. */
  publishFamily(snapshot: FamilySnapshot, time = Date.now()): Promise<void> {
    const event = { name: 'userctx.family.changed', key: snapshot.familyId, payload: snapshot };
    return this.publish('userctx', event, time);
  }

  /** Publishes an event of any app; resolves when mcdisk has committed its handling. */
  async publish(app: string, event: { name: string; key: string; payload: object }, time = Date.now()): Promise<void> {
    await this.messaging.bus.publish(
      createEnvelope(app, partitionOf(event.key), [{ id: randomUUID(), time, ...event }]),
    );
  }

  /** Discards all staged bytes, as a broken disk does. */
  async deleteStagedFiles(): Promise<void> {
    const store = this.get(BlobStore);
    for await (const { key, staged } of store.list()) if (staged) await store.discard(key);
  }

  /** Signs an access token in the same way as userctx. */
  signAccessToken({ type, id, sessionId }: Principal): Promise<string> {
    return this.signTicket(ACCESS_TOKEN_FORMAT, { sub: `${type}:${id}`, sid: sessionId, iat_ms: Date.now() });
  }

  /**
   * Signs a ticket in the same way as userctx. Properties in `forge` override the valid ones, to create an invalid
   * ticket.
   */
  async signTicket(format: TicketFormat, claims: JWTPayload, forge: TicketForgery = {}): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: format.algorithm, typ: forge.type ?? format.type, kid: 'test' })
      .setIssuer(format.issuer)
      .setAudience(forge.audience ?? format.audience)
      .setIssuedAt()
      .setExpirationTime(forge.expiresAt ?? Math.floor(Date.now() / 1_000) + format.lifetime)
      .sign(forge.key ?? this.shared.keys.privateKey);
  }

  /** Ends a session for all nodes in this process, as sign-out does. */
  revokeSession(sessionId: string): void {
    this.shared.revokedSessions.add(sessionId);
  }

  /** Runs SQL as the owner of the schema. The database role of the service may not change the schema. */
  async runAsSchemaOwner(sql: string): Promise<void> {
    await withClient(this.adminUrl, (client) => client.query(sql));
  }

  /**
   * Locks the row of `table` in which `column` is `id` while `work` runs, and cancels every statement that waits for
   * the lock, as a lock timeout does.
   */
  async withLockedRow(table: string, column: string, id: string, work: () => Promise<void>): Promise<void> {
    await withClient(this.adminUrl, async (client) => {
      await client.query('BEGIN');
      await client.query(`SELECT FROM mcdisk.${table} WHERE ${column} = $1 FOR UPDATE`, [id]);
      const done = new AbortController();
      const cancelling = cancelWaitingStatements(client, done.signal);
      await work().finally(() => done.abort());
      await cancelling;
      await client.query('ROLLBACK');
    });
  }

  /** Returns the usage of a cloud without its quota. */
  async findUsage(cloudID: string): Promise<Omit<CloudSizes, 'diskSize'>> {
    const { usedSize, reservedSize, recycleSize } = await this.findSizes(cloudID);
    return { usedSize, reservedSize, recycleSize };
  }

  /** Returns the key of the blob with the bytes of a content. */
  async findBlobKey(contentID: string): Promise<string> {
    const [row] = await this.query<{ key: string }>(
      'SELECT blob_key AS key FROM mcdisk.content WHERE content_id = $1',
      [contentID],
    );
    if (!row) throw new Error('Content not found');
    return row.key;
  }

  async findSizes(cloudID: string): Promise<CloudSizes> {
    const [row] = await this.query<CloudSizes>(
      `SELECT disk_size AS "diskSize", used_size AS "usedSize", reserved_size AS "reservedSize",
              recycle_size AS "recycleSize" FROM mcdisk.family_cloud WHERE cloud_id = $1`,
      [cloudID],
    );
    if (!row) throw new Error('Cloud not found');
    return row;
  }
}

async function cancelWaitingStatements(
  client: { query(sql: string): Promise<unknown> },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await client.query(
      'SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))',
    );
    await sleep(20);
  }
}

/** The usage of a cloud without contents. */
export const NO_USAGE = { usedSize: 0, reservedSize: 0, recycleSize: 0 };

/** Returns a random watch id (did), practically unique among all tests. */
export function randomDid(): number {
  return randomBytes(6).readUIntBE(0, 6) + 1;
}
