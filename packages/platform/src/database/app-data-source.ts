import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import {
  DataSource,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type DataSourceOptions,
  type ReplicationMode,
} from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { tracedStatement } from '../observability/tracing.js';
import { socketOf } from './connection.js';
import {
  DatabaseUnavailableError,
  isDatabaseUnavailableError,
  isTransactionAbortedError,
} from '../errors/database-errors.js';
import { TransactionRolledBackError, assertInTransaction, isRunnerOfContext } from './transaction-context.js';

// All changes of TypeORM's behaviour are in this file, as subclasses of its data source, driver and query runner:
//
// - Queries must belong to the transaction of their asynchronous context.
// - Errors which mean that the database is unavailable become `DatabaseUnavailableError`.
// - A connection whose state is unknown is closed instead of returned to the pool.
// - BEGIN is sent together with the first statement, and the result of COMMIT is checked.
// - Frequent statements are prepared; TypeORM does not support named statements.

/** A connection of the pool and the function that returns it, or closes it if an error is passed. */
export type ObtainedConnection = [PoolClient, (error?: Error) => void];

/**
 * Obtains a connection of the pool by calling `obtain`, and may wait or reject before the call. `pool` is undefined
 * until the data source is initialized.
 */
export type ConnectionPolicy = (
  obtain: () => Promise<ObtainedConnection>,
  pool: Pool | undefined,
) => Promise<ObtainedConnection>;

/** Data source of an app's database, whose query runners are `AppQueryRunner`s. */
export class AppDataSource extends DataSource {
  declare driver: AppDriver;

  constructor(options: DataSourceOptions, policy: ConnectionPolicy) {
    super(options);
    this.driver = new AppDriver(this, policy);
  }

  /** Milliseconds that a statement waits for a lock. */
  get lockTimeoutMs(): number {
    return (this.options.extra as { lock_timeout: number }).lock_timeout;
  }

  override createQueryRunner(mode?: ReplicationMode): AppQueryRunner {
    return super.createQueryRunner(mode) as AppQueryRunner;
  }
}

class AppDriver extends PostgresDriver {
  constructor(
    dataSource: DataSource,
    private readonly policy: ConnectionPolicy,
  ) {
    super(dataSource);
  }

  get pool(): Pool {
    return this.master as Pool;
  }

  override createQueryRunner(mode: ReplicationMode): AppQueryRunner {
    return new AppQueryRunner(this, mode);
  }

  override obtainMasterConnection(): Promise<ObtainedConnection> {
    return this.policy(
      () => super.obtainMasterConnection() as Promise<ObtainedConnection>,
      this.master as Pool | undefined,
    );
  }
}

const statementNames = new Map<string, string>();

export class AppQueryRunner extends PostgresQueryRunner {
  /**
   * Pending until BEGIN has been acknowledged, then undefined; rejects with a `DatabaseUnavailableError` if BEGIN
   * fails.
   */
  private pendingBegin?: Promise<void>;
  /** True once a statement waits for `pendingBegin`; all following statements of the transaction wait as well. */
  private isWaitingForBegin = false;
  /**
   * The error that aborted the transaction. When pipelined statements fail together, only one of their errors is the
   * cause; the others report that the transaction is aborted.
   */
  abortCause?: unknown;

  /**
   * @throws QueryOutsideTransactionError
   * @throws DatabaseUnavailableError
   */
  override connect(): Promise<PoolClient> {
    return this.runChecked(() => super.connect() as Promise<PoolClient>);
  }

  /**
   * @throws QueryOutsideTransactionError
   * @throws DatabaseUnavailableError if the database is unavailable or too slow
   * @throws QueryFailedError
   */
  override query<Result>(sql: string, parameters?: unknown[], useStructuredResult?: boolean): Promise<Result> {
    return this.runChecked(() =>
      tracedStatement(sql, async () => {
        await this.waitForBegin(sql);
        return super.query(sql, parameters, useStructuredResult) as Promise<Result>;
      }),
    );
  }

  /**
   * Executes a fixed statement as a prepared statement: each connection parses the statement once and, after a few
   * executions, plans it once.
   *
   * @throws the same errors as `query`
   */
  queryPrepared<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.runChecked(() => tracedStatement(sql, () => this.executePrepared<Row>(sql, parameters)));
  }

  /**
   * Opens a transaction (read committed) without waiting for the response to BEGIN: BEGIN is sent together with the
   * first statement if that statement only reads. If BEGIN fails although the connection is not lost (because BEGIN was
   * cancelled), the connection is closed. TypeORM handles savepoints and other isolation levels.
   */
  override async startTransaction(isolationLevel?: IsolationLevel): Promise<void> {
    if (this.isTransactionActive || isolationLevel) return super.startTransaction(isolationLevel);
    const connection = await this.connect();
    coalesceWrites(connection);
    this.pendingBegin = connection.query('START TRANSACTION').then(
      () => (this.pendingBegin = undefined),
      (cause: unknown) => {
        this.discard(cause as Error);
        throw new DatabaseUnavailableError({ cause });
      },
    );
    this.pendingBegin.catch(() => undefined);
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  /**
   * Commits and checks the result. After a failed statement Postgres responds to COMMIT with ROLLBACK and no error,
   * which TypeORM treats as a commit; acknowledged changes would be lost.
   *
   * @throws TransactionRolledBackError if the server has rolled the transaction back
   * @throws DatabaseUnavailableError; the outcome of the commit is unknown
   */
  override async commitTransaction(): Promise<void> {
    if (this.transactionDepth > 1) return super.commitTransaction();
    await this.pendingBegin;
    // TypeORM releases a runner whose connection is lost.
    if (this.isReleased) throw new DatabaseUnavailableError();
    const connection = await this.connect();
    const { command } = await this.runChecked(() =>
      tracedStatement('COMMIT', () =>
        connection.query('COMMIT').catch((error: unknown) => {
          throw new QueryFailedError('COMMIT', undefined, error as Error);
        }),
      ),
    );
    this.isTransactionActive = false;
    this.transactionDepth = 0;
    if (command !== 'COMMIT') throw new TransactionRolledBackError();
  }

  /** Closes the connection instead of returning it to the pool, because the state of the connection is unknown. */
  discard(reason: Error): void {
    this.releaseCallback?.(reason);
    delete this.releaseCallback;
    void this.release();
  }

  private async executePrepared<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    // TypeORM releases a runner whose connection is lost and would then silently use another connection.
    if (this.isReleased) throw new DatabaseUnavailableError();
    const connection = await this.connect();
    await this.waitForBegin(sql);
    coalesceWrites(connection);
    try {
      const { rows } = await connection.query({ name: statementNameOf(sql), text: sql, values: [...parameters] });
      return rows as Row[];
    } catch (error) {
      throw new QueryFailedError(sql, [...parameters], error as Error);
    }
  }

  /**
   * Runs database work of this runner.
   *
   * @throws QueryOutsideTransactionError if the work does not belong to the transaction of its asynchronous context
   * @throws DatabaseUnavailableError instead of every error which means that the database is unavailable
   */
  private async runChecked<Result>(work: () => Promise<Result>): Promise<Result> {
    assertInTransaction(this);
    try {
      return await work();
    } catch (error) {
      // The response to the timed-out statement may still arrive; the next user of the connection would receive it.
      if (isReadTimeout(error)) this.discard(error);
      const translated = this.translateError(error);
      if (!isTransactionAbortedError(translated)) this.abortCause ??= translated;
      throw translated;
    }
  }

  private translateError(error: unknown): unknown {
    if (error instanceof DatabaseUnavailableError) return error;
    // A lost connection releases its runner, so the next statement of the transaction fails with
    // `QueryRunnerAlreadyReleasedError`.
    const isLost = error instanceof QueryRunnerAlreadyReleasedError && isRunnerOfContext(this);
    return isLost || isDatabaseUnavailableError(error) ? new DatabaseUnavailableError({ cause: error }) : error;
  }

  /**
   * Waits until BEGIN has been acknowledged, unless the statement only reads. If BEGIN alone fails, the server executes
   * and commits the statements that were sent with it, so writes must not be pipelined with BEGIN.
   *
   * @throws DatabaseUnavailableError if BEGIN failed
   */
  private async waitForBegin(sql: string): Promise<void> {
    if (!this.pendingBegin || (!this.isWaitingForBegin && /^\s*SELECT\b/i.test(sql))) return;
    this.isWaitingForBegin = true;
    await this.pendingBegin;
    assertInTransaction(this);
  }
}

/** Returns true if the driver timed out while it waited for a response. Its timeout error has no code. */
function isReadTimeout(error: unknown): error is Error {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof Error && cause.message === 'Query read timeout';
}

/** Sends statements of the same event loop turn in one packet, because each packet has a fixed cost in the kernel. */
function coalesceWrites(connection: PoolClient): void {
  const socket = socketOf(connection);
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** Returns the statement's name: the same text has the same name on every connection and in every process. */
function statementNameOf(sql: string): string {
  const cached = statementNames.get(sql);
  if (cached) return cached;
  const name = `fw_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
  statementNames.set(sql, name);
  return name;
}
