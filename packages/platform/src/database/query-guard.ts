import { AsyncLocalStorage } from 'node:async_hooks';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type DataSource,
  type QueryRunner,
  type ReplicationMode,
} from 'typeorm';
import { DatabaseUnavailableError, isDatabaseUnavailableError } from './database-unavailable.error.js';

/** A unit of work as the guard sees it. */
export interface OpenTransaction {
  readonly scope: object;
  readonly runner: QueryRunner;
  /** False from the moment its work has ended. */
  open: boolean;
  /** While BEGIN is not answered; rejects with a `DatabaseUnavailableError` when it failed. */
  begun?: Promise<void>;
  /** A statement waits for that, and so do those behind it. */
  held?: boolean;
}

/** A query that would not belong to the unit of work it is written in: a fault of the program. */
export class QueryOutsideTransactionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueryOutsideTransactionError';
  }
}

/** The unit that the current asynchronous context belongs to; one for all databases of the process. */
const units = new AsyncLocalStorage<OpenTransaction | undefined>();

/** The open unit of the current asynchronous context. */
export function currentTransaction(): OpenTransaction | undefined {
  const unit = units.getStore();
  return unit?.open ? unit : undefined;
}

/** Runs `work` as a part of `unit`, or of none. */
export function runWithTransaction<Result>(unit: OpenTransaction | undefined, work: () => Result): Result {
  return units.run(unit, work);
}

const guarded = new WeakSet<DataSource>();

/**
 * Puts the two rules of the house before every query of a data source, whichever way TypeORM takes:
 * while a unit of work is open in the current context, only its own connection may be used (of any app's database),
 * and errors that mean the database is away surface as `DatabaseUnavailableError`.
 */
export function installQueryGuard(dataSource: DataSource): void {
  if (guarded.has(dataSource)) return;
  guarded.add(dataSource);
  const { driver } = dataSource;
  const create = driver.createQueryRunner.bind(driver);
  driver.createQueryRunner = (mode: ReplicationMode): QueryRunner => guardRunner(create(mode));
}

function guardRunner(runner: QueryRunner): QueryRunner {
  const connect = runner.connect.bind(runner) as () => Promise<unknown>;
  const query = runner.query.bind(runner) as (sql: string, ...call: unknown[]) => Promise<unknown>;
  const guardedCall = async (run: () => Promise<unknown>): Promise<unknown> => {
    refuseOutsideUnit(runner);
    try {
      return await run();
    } catch (error) {
      if (isReadTimeout(error)) await discardConnection(runner, error);
      throw translate(error, runner);
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
 * Only what reads travels with BEGIN: if BEGIN alone fails, the server runs what came with it by itself, and commits it.
 *
 * @throws DatabaseUnavailableError when BEGIN failed
 */
export async function waitForBegin(runner: QueryRunner, sql: string): Promise<void> {
  const unit = units.getStore();
  if (!unit?.begun || unit.runner !== runner || (!unit.held && /^\s*SELECT\b/i.test(sql))) return;
  unit.held = true;
  await unit.begun;
  refuseOutsideUnit(runner);
}

function refuseOutsideUnit(runner: QueryRunner): void {
  const unit = units.getStore();
  if (!unit) return;
  if (unit.open && unit.runner !== runner) {
    throw new QueryOutsideTransactionError(
      'A query outside the open unit of work. Use the unit’s manager or executor; what has to be committed on its ' +
        'own goes before or after the unit, or into runSeparately().',
    );
  }
  if (!unit.open && unit.runner === runner) {
    throw new QueryOutsideTransactionError('A query of a unit of work that has ended: its work did not wait for it.');
  }
}

/**
 * Closes the runner's connection instead of giving it back to the pool: what the server is doing on it is unknown.
 * TypeORM does the same when a connection fails, but offers it to nobody.
 */
export async function discardConnection(runner: QueryRunner, reason: Error): Promise<void> {
  await (runner as unknown as { releasePostgresConnection(reason: Error): Promise<void> }).releasePostgresConnection(
    reason,
  );
}

function translate(error: unknown, runner: QueryRunner): unknown {
  if (error instanceof DatabaseUnavailableError) return error;
  // A lost connection releases its runner, so the next statement of the unit ends here.
  const lost = error instanceof QueryRunnerAlreadyReleasedError && units.getStore()?.runner === runner;
  return lost || isDatabaseUnavailableError(error) ? new DatabaseUnavailableError({ cause: error }) : error;
}

/** The driver stopped waiting for an answer that may still come, to whoever uses the connection next. */
export function isReadTimeout(error: unknown): error is Error {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof Error && cause.message === 'Query read timeout';
}
