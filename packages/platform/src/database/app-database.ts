import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { DataSourceOptions, ObjectLiteral } from 'typeorm';
import { ReadinessCheck, type ReadinessProblem } from '../observability/readiness-check.js';
import { runAs } from '../concurrency/work-priority.js';
import { AppDataSource } from './app-data-source.js';
import { ConnectionReserves, DatabaseCircuit } from './connection-policies.js';
import { DatabaseStartError, toDatabaseStartError, typesWithSafeInt8 } from './connection.js';
import { DatabaseUnavailableError } from '../errors/database-errors.js';
import { migrationsTableOf, type MigrationOptions } from './migrate.js';
import type { RestoreContext, RestoreStep } from './schema-restore.js';
import { findSchemaProblem, type MigrationClass } from './schema-compatibility.js';
import { runWithTransaction } from './transaction-context.js';
import { WaitLimit } from './wait-limit.js';
import { findWriteProblem } from './write-probe.js';

/** Limits of a connection pool and of its statements. */
export interface DatabaseLimits {
  readonly poolSize: number;
  /** Maximum wait for a free or new connection. */
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** Maximum idle time inside a transaction. */
  readonly idleInTransactionTimeoutMs: number;
  /** See `CircuitLimits.silenceMs`. */
  readonly silenceMs: number;
  /** See `CircuitLimits.probeTimeoutMs`. */
  readonly probeTimeoutMs: number;
}

const DEFAULT_LIMITS: DatabaseLimits = {
  poolSize: 10,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 15_000,
  lockTimeoutMs: 5_000,
  idleInTransactionTimeoutMs: 15_000,
  silenceMs: 3_000,
  probeTimeoutMs: 5_000,
};

/**
 * Statements that make the server close the connection at most 30 s, instead of two hours, after its client has
 * disappeared. The settings have no effect on Unix sockets.
 */
const SERVER_KEEPALIVE_SQL = [
  ['tcp_keepalives_idle', 10],
  ['tcp_keepalives_interval', 5],
  ['tcp_keepalives_count', 4],
  ['tcp_user_timeout', 30_000],
]
  .map(([name, value]) => `SET ${name} = ${value}`)
  .join(';');
/** Milliseconds without data after which the operating system tests a connection to the server. */
const CLIENT_KEEPALIVE_MS = 10_000;

export interface AppDatabaseOptions {
  /** Name of the app and of its data source. */
  readonly name: string;
  /** The app's schema; `migrateAppDatabase` creates it. */
  readonly schema: string;
  /** Connection URL of the runtime role, `postgres://…`. */
  readonly url: string;
  /** Name of the environment variable of `url`, for error messages; `DATABASE_URL` by default. */
  readonly variableName?: string;
  readonly entities: readonly (new () => ObjectLiteral)[];
  /** The migrations that the app knows; without migrations, the compatibility of the schema is not checked. */
  readonly migrations?: readonly MigrationClass[];
  readonly limits?: Partial<DatabaseLimits>;
}

/** Maximum wait until the server has ended the connections of a closed pool, in milliseconds. */
const CONNECTION_END_TIMEOUT_MS = 1_000;

/** Milliseconds that the driver waits beyond the server's statement timeout before it discards the connection. */
const READ_TIMEOUT_MARGIN_MS = 5_000;

/** One app's open database. */
export class AppDatabase {
  readonly name: string;
  readonly schema: string;
  /** Reports a problem if executed migrations require a newer app. */
  readonly schemaCheck: ReadinessCheck;
  /** Reports a problem if the database rejects writes. */
  readonly writeCheck: ReadinessCheck;
  private reachabilityQuery?: Promise<boolean>;

  constructor(
    { name, schema, migrations = [] }: Pick<AppDatabaseOptions, 'name' | 'schema' | 'migrations'>,
    readonly dataSource: AppDataSource,
    private readonly circuit: DatabaseCircuit,
    private readonly reserves: ConnectionReserves,
  ) {
    this.name = name;
    this.schema = schema;
    this.schemaCheck = new ReadinessCheck({
      name: `Database:${name}`,
      messages: {
        failed: 'The database schema requires a newer app',
        recovered: 'The database schema no longer requires a newer app',
      },
      check: async () =>
        migrations.length === 0
          ? undefined
          : findSchemaProblem((sql) => this.queryInternally(sql), {
              schema,
              table: migrationsTableOf(schema),
              known: migrations,
            }),
    });
    this.writeCheck = new ReadinessCheck({
      name: `Database:${name}`,
      messages: { failed: 'Database rejects writes', recovered: 'Database accepts writes again' },
      check: () => this.probeWrites(),
    });
  }

  /**
   * Returns whether the database responds; never throws.
   *
   * @param timeoutMs - timeout in milliseconds; 1 s by default
   */
  async isReachable(timeoutMs = 1_000): Promise<boolean> {
    // Concurrent callers share one query.
    this.reachabilityQuery ??= this.queryInternally('SELECT 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.reachabilityQuery = undefined));
    return Promise.race([this.reachabilityQuery, sleep(timeoutMs, false, { ref: false })]);
  }

  /** Numbers of the pool's connections, and of the tasks that wait for a connection. */
  get poolStatus(): { size: number; open: number; idle: number; waiting: number } {
    const { totalCount: open, idleCount: idle, waitingCount } = this.dataSource.driver.pool;
    return { size: this.reserves.poolSize, open, idle, waiting: waitingCount + this.reserves.waitingCount };
  }

  /** Returns the table of an entity and the column of one of its properties. @throws Error for an unknown property */
  findColumn(entity: new () => object, property: string): { table: string; column: string } {
    const metadata = this.dataSource.getMetadata(entity);
    const column = metadata.findColumnWithPropertyName(property);
    if (!column) throw new Error(`${metadata.name} has no property ${property}`);
    return { table: metadata.tablePath, column: column.databaseName };
  }

  /**
   * Must be called before a command uses the database.
   * @throws DatabaseStartError if no migration has run, or if executed migrations require a newer app
   */
  async assertSchemaSupported(): Promise<void> {
    const [{ exists } = {}] = await this.queryInternally<{ exists: boolean }>(
      `SELECT to_regclass('${migrationsTableOf(this.schema)}') IS NOT NULL AS exists`,
    );
    if (!exists)
      throw new DatabaseStartError('The database is empty. Start the service once, then run this command again.');
    const problem = await this.schemaCheck.run();
    if (problem) throw new DatabaseStartError(problem.message);
  }

  private probeWrites(): Promise<ReadinessProblem | undefined> {
    return runInternally(async () => {
      const runner = this.dataSource.createQueryRunner();
      try {
        return await findWriteProblem(await runner.connect());
      } finally {
        await runner.release();
      }
    });
  }

  private queryInternally<Row>(sql: string): Promise<Row[]> {
    return runInternally(() => this.dataSource.query<Row[]>(sql));
  }

  /**
   * Waits for running queries and closes all connections. When `close` has completed, the server can be stopped without
   * interrupting a connection of this app.
   */
  async close(): Promise<void> {
    if (!this.dataSource.isInitialized) return;
    await this.dataSource.destroy();
    // The pool requests the end of its connections, but does not wait for the end.
    await Promise.race([this.circuit.connectionsEnded(), sleep(CONNECTION_END_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

/**
 * Runs internal queries of the app outside the current transaction. Client requests cannot delay these queries, because
 * some connections of the pool are reserved for internal work.
 */
function runInternally<Result>(work: () => Promise<Result>): Promise<Result> {
  return runAs('internal', () => runWithTransaction(undefined, work));
}

/**
 * Opens an app's database for its runtime role. The schema and its tables must exist (`migrateAppDatabase`); nothing is
 * synchronized from entities. The pool reconnects after an outage of the database.
 *
 * @throws DatabaseStartError naming variable and host if the database cannot be opened
 */
export async function openAppDatabase(options: AppDatabaseOptions): Promise<AppDatabase> {
  const database = createUnconnectedAppDatabase(options);
  try {
    await runWithTransaction(undefined, () => database.dataSource.initialize());
  } catch (error) {
    throw toDatabaseStartError({ url: options.url, variableName: options.variableName ?? 'DATABASE_URL' }, error);
  }
  return database;
}

/**
 * Returns an app's database without connecting to it. The app can then be built only to read its routes and to create
 * its API documents.
 */
export function createUnconnectedAppDatabase(options: AppDatabaseOptions): AppDatabase {
  const { name, schema, url } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const logger = new Logger(`Database:${name}`);
  const { silenceMs, probeTimeoutMs } = limits;
  const circuit = new DatabaseCircuit({ name, url, silenceMs, probeTimeoutMs });
  const reserves = new ConnectionReserves(
    limits.poolSize,
    new WaitLimit({ app: name, resource: 'connection', ms: limits.connectTimeoutMs }),
  );
  const settings: DataSourceOptions = {
    type: 'postgres',
    schema,
    entities: [...options.entities],
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    logging: false,
    poolErrorHandler: (cause: Error) =>
      logger.warn({ msg: 'Database connection lost', err: new DatabaseUnavailableError({ cause }) }),
    // TypeORM's URL parser supports neither Unix sockets nor the driver's parameters; the driver parses the URL itself.
    extra: {
      connectionString: url,
      application_name: `family-watch:${name}`,
      max: limits.poolSize,
      connectionTimeoutMillis: limits.connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      maxLifetimeSeconds: 3_600,
      keepAlive: true,
      keepAliveInitialDelayMillis: CLIENT_KEEPALIVE_MS,
      statement_timeout: limits.statementTimeoutMs,
      lock_timeout: limits.lockTimeoutMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionTimeoutMs,
      query_timeout: limits.statementTimeoutMs + READ_TIMEOUT_MARGIN_MS,
      types: typesWithSafeInt8,
      // The driver sends independent statements without waiting for earlier responses.
      pipeline: true,
      onConnect: async (client: PoolClient) => {
        circuit.add(client);
        await prepareConnection(client);
        circuit.reportAvailable();
      },
    },
  };
  const dataSource = new AppDataSource(settings, (obtain, pool) => reserves.obtain(() => circuit.obtain(obtain, pool)));
  return new AppDatabase(options, dataSource, circuit, reserves);
}

/**
 * Adds an error listener to a new client and sets the server's keepalive. The pool and TypeORM listen for errors only
 * while they use the client. If the server closes the connection in the packet that opened it, an `error` event without
 * a listener would end this process.
 */
async function prepareConnection(client: PoolClient): Promise<void> {
  client.on('error', () => undefined);
  await client.query(SERVER_KEEPALIVE_SQL);
}

/** What an app declares about its database: name, schema, entities, migrations, and what a restore must correct. */
export type DatabaseDeclaration = Pick<AppDatabaseOptions, 'name' | 'schema' | 'entities'> &
  Pick<MigrationOptions, 'migrations' | 'adoption' | 'appendOnlyTables'> & {
    /** Returns the statements that a restore runs after it has filled the schema, in order and in one transaction. */
    readonly restoreSteps: (context: RestoreContext) => RestoreStep[];
  };
