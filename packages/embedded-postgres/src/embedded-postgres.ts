import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import type { Environment } from '@family-watch/platform/config/environment';
import { DatabaseStartError } from '@family-watch/platform/database/connection';
import { acquireDataDirLock, DataDirInUseError, type DataDirLock } from '@family-watch/platform/database/data-dir-lock';
import {
  ensureCluster,
  readPassword,
  writeAccessRules,
  type PostgresEndpoint,
  type ServerSettings,
} from './cluster.js';
import {
  hasDatabase,
  SYSTEM_DIRECTORY,
  prepareInstallation,
  prepareSocketDirectory,
  type Installation,
} from './installation.js';
import { PostgresProcess } from './postgres-process.js';
import { stopStalePostmaster } from './stale-postmaster.js';

/** Name of the database in the embedded cluster; it has one schema per app. */
const EMBEDDED_DATABASE_NAME = 'family_watch';
/** Owner of the database, for migrations and partition maintenance. */
const EMBEDDED_OWNER_ROLE = 'family_watch_owner';
/** Role of all queries at runtime: no DDL, not even temporary tables. */
const EMBEDDED_APP_ROLE = 'family_watch_app';

export interface EmbeddedPostgresOptions {
  /** The project's data directory; it is created if it does not exist. */
  readonly dataDir: string;
  /** Maximum duration of the start including crash recovery, milliseconds; 120 s by default. */
  readonly startTimeoutMs?: number;
  /** Server settings that override the defaults, by their name in postgresql.conf. */
  readonly settings?: ServerSettings;
  /** `socket` by default, except on Windows. */
  readonly transport?: 'socket' | 'tcp';
  /**
   * Directory of the cluster and the binaries if the server's user cannot access the project; `/var/lib/family-watch`
   * by default.
   */
  readonly systemDirectory?: string;
}

/** Connection URLs and paths of the running server. */
export interface EmbeddedPostgresInfo {
  /** URL of the runtime role, which may read and write rows but not execute DDL; used as DATABASE_URL. */
  readonly url: string;
  /** URL of the database's owner, which may create schemas and tables; used as MIGRATION_DATABASE_URL. */
  readonly migrationUrl: string;
  /** URL of the cluster's superuser for the database `postgres`, used for backup, restore and tests. */
  readonly adminUrl: string;
  readonly dataDir: string;
  readonly cluster: string;
  readonly binaries: string;
  /** True if cluster or binaries are outside the project because the server's user cannot access the project. */
  readonly relocated: boolean;
  /** User id of the server process; undefined on Windows. */
  readonly uid: number | undefined;
}

/** File with connection data for other processes of the same user; contains the password if the server uses TCP. */
const CONNECTION_FILE = 'postgres-connection.json';
const RESTART_DELAY_MS = { first: 200, max: 10_000 };

/** Postgres 18 as a child process of this process. The server stops when this process ends, even after a crash. */
export class EmbeddedPostgres {
  private readonly logger = new Logger(EmbeddedPostgres.name);
  private readonly stopRequest = new AbortController();
  private pendingStop: Promise<void> | undefined;
  private pendingRestart: Promise<void> | undefined;
  private server: PostgresProcess;

  private constructor(
    readonly info: EmbeddedPostgresInfo,
    private readonly lock: DataDirLock,
    private readonly launch: () => Promise<PostgresProcess>,
    server: PostgresProcess,
  ) {
    this.server = server;
    this.restartOnExit(server);
  }

  /**
   * Locks the data directory, creates the cluster on the first start, and starts the server.
   *
   * @throws DataDirInUseError if another process uses the data directory
   * @throws Error with the server's last log lines if the server does not start
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const lock = acquireDataDirLock(options.dataDir);
    let server: PostgresProcess | undefined;
    try {
      const installation = prepareInstallation(lock.dataDir, options.systemDirectory ?? SYSTEM_DIRECTORY);
      const endpoint = await chooseEndpoint(installation, options.transport);
      await ensureCluster(installation);
      const info = toConnectionInfo(lock.dataDir, installation, endpoint);
      const launch = async (): Promise<PostgresProcess> => {
        await stopStalePostmaster(installation.cluster);
        writeAccessRules(installation, endpoint);
        const launched = PostgresProcess.start(installation, endpoint, options.settings ?? {});
        await waitUntilReady(launched, info.adminUrl, options.startTimeoutMs ?? 120_000);
        return launched;
      };
      server = await launch();
      await ensureDatabase(info.adminUrl, readPassword(installation));
      writeFileSync(join(lock.dataDir, CONNECTION_FILE), JSON.stringify(info), { mode: 0o600 });
      return new EmbeddedPostgres(info, lock, launch, server);
    } catch (error) {
      await server?.stop();
      lock.release();
      throw error;
    }
  }

  /** Process id of the postmaster. */
  get pid(): number | undefined {
    return this.server.pid;
  }

  /**
   * Stops the server cleanly and releases the data directory. The app's connections must be closed before the server is
   * stopped.
   */
  stop(): Promise<void> {
    this.pendingStop ??= this.shutDown();
    return this.pendingStop;
  }

  private async shutDown(): Promise<void> {
    this.stopRequest.abort();
    try {
      await this.pendingRestart;
      await this.server.stop();
      rmSync(join(this.info.dataDir, CONNECTION_FILE), { force: true });
    } finally {
      this.lock.release();
    }
  }

  /**
   * Restarts the server when it exits unexpectedly, for example for lack of memory. Connection pools then reconnect by
   * themselves.
   */
  private restartOnExit(server: PostgresProcess): void {
    void server.exited.then(() => {
      if (this.stopRequest.signal.aborted) return;
      this.logger.error({ msg: 'Embedded database exited unexpectedly', log: server.logTail() });
      this.pendingRestart = this.restart();
    });
  }

  private async restart(): Promise<void> {
    const { signal } = this.stopRequest;
    for (let delay = RESTART_DELAY_MS.first; !signal.aborted; delay = Math.min(delay * 2, RESTART_DELAY_MS.max)) {
      try {
        await sleep(delay, undefined, { ref: false, signal });
        this.server = await this.launch();
        this.restartOnExit(this.server);
        this.logger.log({ msg: 'Embedded database restarted' });
        return;
      } catch (error) {
        if (!signal.aborted) this.logger.error({ msg: 'Embedded database restart failed', err: error });
      }
    }
  }
}

/**
 * Returns the connection data of a data directory's embedded database for other processes of the same user, such as a
 * backup.
 *
 * @returns undefined if no database is running; after a crash of the process, the returned database may not respond
 */
export function findEmbeddedPostgres(dataDir: string): EmbeddedPostgresInfo | undefined {
  const file = join(dataDir, CONNECTION_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as EmbeddedPostgresInfo) : undefined;
}

async function chooseEndpoint(
  installation: Installation,
  transport: 'socket' | 'tcp' | undefined,
): Promise<PostgresEndpoint> {
  if ((transport ?? (process.platform === 'win32' ? 'tcp' : 'socket')) === 'socket') {
    return { kind: 'socket', directory: prepareSocketDirectory(installation) };
  }
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return { kind: 'tcp', port };
}

function toConnectionInfo(
  dataDir: string,
  installation: Installation,
  endpoint: PostgresEndpoint,
): EmbeddedPostgresInfo {
  const url = (role: string, database: string): string =>
    endpoint.kind === 'socket'
      ? `postgres://${role}@/${database}?host=${encodeURIComponent(endpoint.directory)}`
      : `postgres://${role}:${readPassword(installation)}@127.0.0.1:${endpoint.port}/${database}`;
  return {
    url: url(EMBEDDED_APP_ROLE, EMBEDDED_DATABASE_NAME),
    migrationUrl: url(EMBEDDED_OWNER_ROLE, EMBEDDED_DATABASE_NAME),
    adminUrl: url('postgres', 'postgres'),
    dataDir,
    cluster: installation.cluster,
    binaries: installation.binaries.root,
    relocated: installation.relocated,
    uid: installation.account?.uid ?? process.getuid?.(),
  };
}

async function waitUntilReady(server: PostgresProcess, url: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (!server.isRunning || Date.now() > deadline) {
        await server.stop();
        throw new Error(`The embedded database did not start. Its last log lines:\n${server.logTail()}`, {
          cause: error,
        });
      }
      await sleep(20);
    }
  }
}

/**
 * Returns DATABASE_URL and MIGRATION_DATABASE_URL for a command line program, or else the URLs of the embedded database
 * server, which is started unless a running service has started it.
 *
 * @throws DatabaseStartError without a database: a command creates none
 */
export async function openDatabaseUrl({
  DATABASE_URL,
  MIGRATION_DATABASE_URL,
  DATA_DIR,
}: Environment): Promise<{ url: string; migrationUrl: string; stop(): Promise<void> }> {
  const stop = () => Promise.resolve();
  if (DATABASE_URL !== undefined)
    return { url: DATABASE_URL, migrationUrl: MIGRATION_DATABASE_URL ?? DATABASE_URL, stop };
  if (!hasDatabase(DATA_DIR))
    throw new DatabaseStartError(
      `There is no database in ${resolve(DATA_DIR)}. Set DATA_DIR or DATABASE_URL to the value of the service, or start ` +
        'the service once.',
    );
  const running = findEmbeddedPostgres(DATA_DIR);
  try {
    const postgres = await EmbeddedPostgres.start({ dataDir: DATA_DIR });
    const { url, migrationUrl } = postgres.info;
    return { url, migrationUrl, stop: () => postgres.stop() };
  } catch (error) {
    if (running && error instanceof DataDirInUseError) {
      const { url, migrationUrl } = running;
      return { url, migrationUrl, stop };
    }
    throw error;
  }
}

/**
 * Creates missing roles and the database. Runs at every start, because the first start may have been interrupted after
 * `initdb`.
 *
 * @param adminUrl - connection URL of the superuser
 * @param password - password of the created roles, for TCP connections
 */
async function ensureDatabase(adminUrl: string, password: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const role of [EMBEDDED_OWNER_ROLE, EMBEDDED_APP_ROLE]) {
      const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
      if (rowCount === 0) await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
    }
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [EMBEDDED_DATABASE_NAME]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${EMBEDDED_DATABASE_NAME} OWNER ${EMBEDDED_OWNER_ROLE}`);
    await client.query(`REVOKE ALL ON DATABASE ${EMBEDDED_DATABASE_NAME} FROM PUBLIC`);
    await client.query(`GRANT CONNECT ON DATABASE ${EMBEDDED_DATABASE_NAME} TO ${EMBEDDED_APP_ROLE}`);
  } finally {
    await client.end();
  }
}
