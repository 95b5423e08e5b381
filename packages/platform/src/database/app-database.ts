import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { DataSource, type ObjectLiteral } from 'typeorm';
import { toDatabaseStartError } from './connection.js';
import { typesWithSafeInt8 } from './int8.js';
import { installQueryGuard, runWithTransaction } from './query-guard.js';

/** Limits of one pool and of the statements that run on it, in milliseconds. */
export interface DatabaseLimits {
  readonly poolSize: number;
  /** Waiting for a free or a new connection. */
  readonly connectMs: number;
  readonly statementMs: number;
  readonly lockMs: number;
  /** A transaction that does nothing. */
  readonly idleInTransactionMs: number;
}

const DEFAULT_LIMITS: DatabaseLimits = {
  poolSize: 10,
  connectMs: 5_000,
  statementMs: 15_000,
  lockMs: 5_000,
  idleInTransactionMs: 15_000,
};

export interface AppDatabaseOptions {
  /** Name of the app and of its data source. */
  readonly name: string;
  /** The app's schema; `migrateAppDatabase` makes it. */
  readonly schema: string;
  /** Connection of the run-time role, `postgres://…`. */
  readonly url: string;
  /** Setting that holds `url`, for error messages; `DATABASE_URL` unless given. */
  readonly variable?: string;
  readonly entities: readonly (new () => ObjectLiteral)[];
  readonly limits?: Partial<DatabaseLimits>;
}

/** How long the driver waits beyond the server's own limit before it takes the connection for dead. */
const GRACE_MS = 5_000;

/** One app's open database. */
export class AppDatabase {
  constructor(
    readonly name: string,
    readonly schema: string,
    readonly dataSource: DataSource,
  ) {}

  /**
   * Asks the database whether it answers; never throws.
   *
   * @param timeoutMs - when to give up; 1 s unless given
   */
  async isReachable(timeoutMs = 1_000): Promise<boolean> {
    const answer = runWithTransaction(undefined, () => this.dataSource.query('SELECT 1')).then(
      () => true,
      () => false,
    );
    return Promise.race([answer, sleep(timeoutMs, false, { ref: false })]);
  }

  /** Waits for running queries and closes all connections. */
  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

/**
 * Opens an app's database for its run-time role. The schema and its tables must be there (`migrateAppDatabase`);
 * nothing is ever synchronised from entities. The pool makes new connections after the database was away.
 *
 * @throws DatabaseStartError naming variable and host when the database cannot be opened
 */
export async function openAppDatabase(options: AppDatabaseOptions): Promise<AppDatabase> {
  const database = createUnconnectedAppDatabase(options);
  try {
    await runWithTransaction(undefined, () => database.dataSource.initialize());
  } catch (error) {
    throw toDatabaseStartError({ url: options.url, variable: options.variable ?? 'DATABASE_URL' }, error);
  }
  return database;
}

/** An app's database that nobody has connected to: enough to build the app and read its routes and documents. */
export function createUnconnectedAppDatabase(options: AppDatabaseOptions): AppDatabase {
  const { name, schema, url } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const logger = new Logger(`Database:${name}`);
  const dataSource = new DataSource({
    type: 'postgres',
    schema,
    entities: [...options.entities],
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    logging: false,
    poolErrorHandler: (error: Error) => logger.warn({ msg: 'Database connection lost', err: error }),
    // TypeORM's own reading of urls knows neither sockets nor the driver's parameters; the driver gets them as they are.
    extra: {
      connectionString: url,
      application_name: `family-watch:${name}`,
      max: limits.poolSize,
      connectionTimeoutMillis: limits.connectMs,
      idleTimeoutMillis: 30_000,
      maxLifetimeSeconds: 3_600,
      keepAlive: true,
      statement_timeout: limits.statementMs,
      lock_timeout: limits.lockMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionMs,
      query_timeout: limits.statementMs + GRACE_MS,
      types: typesWithSafeInt8,
      // Statements that do not wait for each other need not wait for each other's answers either.
      pipeline: true,
      onConnect: surviveEndWhileConnecting,
    },
  });
  installQueryGuard(dataSource);
  return new AppDatabase(name, schema, dataSource);
}

/**
 * Pool and TypeORM listen to a client's errors while they hold it, but nobody does between the two. A server that
 * ends a connection in the packet that opened it would end this process: an `error` event without a listener.
 */
function surviveEndWhileConnecting(client: PoolClient): void {
  client.on('error', () => undefined);
}
