import { AsyncLocalStorage } from 'node:async_hooks';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type DataSource,
  type QueryRunner,
  type ReplicationMode,
} from 'typeorm';
import { DatabaseUnavailableError, isDatabaseUnavailableError } from './database-unavailable.error.js';

/** An open transaction of a `UnitOfWork`. */
export interface OpenTransaction {
  readonly scope: object;
  readonly runner: QueryRunner;
  /** False once the work of the transaction has ended. */
  open: boolean;
  /**
   * Pending until BEGIN has been acknowledged, then undefined; rejects with a `DatabaseUnavailableError` if BEGIN
   * fails.
   */
  pendingBegin?: Promise<void>;
  /** True once a statement waits for `pendingBegin`; all following statements of the transaction wait as well. */
  isWaitingForBegin?: boolean;
}

/** A query that would run outside the transaction in whose context it was issued: a programming error. */
export class QueryOutsideTransactionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueryOutsideTransactionError';
  }
}

/** Transaction of the current asynchronous context; shared by all databases of the process. */
const transactionContext = new AsyncLocalStorage<OpenTransaction | undefined>();

/** Returns the open transaction of the current asynchronous context. */
export function currentTransaction(): OpenTransaction | undefined {
  const transaction = transactionContext.getStore();
  return transaction?.open ? transaction : undefined;
}

/** Runs `work` in the context of `transaction`, or of none. */
export function runWithTransaction<Result>(transaction: OpenTransaction | undefined, work: () => Result): Result {
  return transactionContext.run(transaction, work);
}

const guardedDataSources = new WeakSet<DataSource>();

/**
 * Enforces two rules for every query of a data source, independent of the TypeORM API. First, work inside a transaction
 * may use only the connection of this transaction and no other database of the process. Second, errors that mean that
 * the database is unavailable become `DatabaseUnavailableError`.
 */
export function installQueryGuard(dataSource: DataSource): void {
  if (guardedDataSources.has(dataSource)) return;
  guardedDataSources.add(dataSource);
  const { driver } = dataSource;
  const create = driver.createQueryRunner.bind(driver);
  driver.createQueryRunner = (mode: ReplicationMode): QueryRunner => guardRunner(create(mode));
}

function guardRunner(runner: QueryRunner): QueryRunner {
  const connect = runner.connect.bind(runner) as () => Promise<unknown>;
  const query = runner.query.bind(runner) as (sql: string, ...call: unknown[]) => Promise<unknown>;
  const guardedCall = async (run: () => Promise<unknown>): Promise<unknown> => {
    assertInTransaction(runner);
    try {
      return await run();
    } catch (error) {
      if (isReadTimeout(error)) await discardConnection(runner, error);
      throw translateError(error, runner);
    }
  };
  return Object.assign(runner, {
    connect: () => guardedCall(connect),
    query: (sql: string, ...call: unknown[]) =>
      guardedCall(async () => {
        await waitForBegin(runner, sql);
        return query(sql, ...call);
      }),
  });
}

/**
 * Waits until BEGIN has been acknowledged, unless the statement only reads. If BEGIN alone fails, the server executes
 * and commits the statements that were sent with it, so writes must not be pipelined with BEGIN.
 *
 * @throws DatabaseUnavailableError if BEGIN failed
 */
export async function waitForBegin(runner: QueryRunner, sql: string): Promise<void> {
  const transaction = transactionContext.getStore();
  if (
    !transaction?.pendingBegin ||
    transaction.runner !== runner ||
    (!transaction.isWaitingForBegin && /^\s*SELECT\b/i.test(sql))
  )
    return;
  transaction.isWaitingForBegin = true;
  await transaction.pendingBegin;
  assertInTransaction(runner);
}

function assertInTransaction(runner: QueryRunner): void {
  const transaction = transactionContext.getStore();
  if (!transaction) return;
  if (transaction.open && transaction.runner !== runner) {
    throw new QueryOutsideTransactionError(
      'A query was issued outside the open transaction. Use the manager or executor of the unit of work. Run a query that ' +
        'must be committed separately before or after the transaction, or in runInNewTransaction().',
    );
  }
  if (!transaction.open && transaction.runner === runner) {
    throw new QueryOutsideTransactionError(
      'A query was issued in a transaction that has ended: its work did not await the query.',
    );
  }
}

/**
 * Closes the runner's connection instead of returning it to the pool, because the transaction state of the connection
 * is unknown. The function calls the private method with which TypeORM handles a failed connection.
 */
export async function discardConnection(runner: QueryRunner, reason: Error): Promise<void> {
  await (runner as unknown as { releasePostgresConnection(reason: Error): Promise<void> }).releasePostgresConnection(
    reason,
  );
}

function translateError(error: unknown, runner: QueryRunner): unknown {
  if (error instanceof DatabaseUnavailableError) return error;
  // A lost connection releases its runner, so the next statement of the transaction fails with
  // `QueryRunnerAlreadyReleasedError`.
  const lost = error instanceof QueryRunnerAlreadyReleasedError && transactionContext.getStore()?.runner === runner;
  return lost || isDatabaseUnavailableError(error) ? new DatabaseUnavailableError({ cause: error }) : error;
}

/**
 * Returns true if the driver timed out; the response may still arrive, and the next user of the connection would
 * receive that response.
 */
export function isReadTimeout(error: unknown): error is Error {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof Error && cause.message === 'Query read timeout';
}
