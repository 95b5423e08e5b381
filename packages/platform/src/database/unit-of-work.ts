import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { QueryFailedError, type DataSource, type EntityManager, type QueryResult, type QueryRunner } from 'typeorm';
import type { SqlExecutor, TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import {
  DatabaseUnavailableError,
  isTransactionAbortedError,
  isTransactionConflictError,
  isDatabaseUnavailableError,
} from './database-unavailable.error.js';
import { coalesceWrites, queryPrepared } from './prepared-statements.js';
import {
  QueryOutsideTransactionError,
  currentTransaction,
  discardConnection,
  installQueryGuard,
  isReadTimeout,
  runWithTransaction,
  type OpenTransaction,
} from './query-guard.js';

/** A unit is run at most this often when the database answers with a deadlock or a serialisation failure. */
const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 5;

/** A part of the unit failed, its caller went on, and the whole was rolled back. */
export class TransactionRolledBackError extends Error {
  constructor(cause?: unknown) {
    super('The unit of work was rolled back because a part of it failed, though its work went on', { cause });
    this.name = 'TransactionRolledBackError';
  }
}

interface Unit extends OpenTransaction {
  readonly manager: EntityManager;
  readonly callbacks: (() => void)[];
  readonly lastSteps: (() => Promise<void>)[];
  /** Set when work that had joined failed: what it wrote must not be committed, whoever catches its error. */
  failure?: { readonly cause: unknown };
  /** What its first statement that failed said. */
  firstError?: unknown;
}

/**
 * The transactions of one app's database. Repositories and the outbox take `manager` or `executor` from it, so that
 * all they do inside `run()` is committed together. Each app has a subclass of its own, for Nest to inject:
 * `class UserctxUnitOfWork extends UnitOfWork {}`.
 *
 * No I/O, hashing or other context's work inside a unit: it holds a connection and locks, and may be run again.
 */
export class UnitOfWork implements TransactionScope {
  readonly executor: SqlExecutor;
  /** The same for fixed statements that run all the time: each connection plans them once. */
  readonly prepared: SqlExecutor;
  private readonly logger = new Logger(UnitOfWork.name);

  /**
   * @param dataSource - the app's data source, open
   * @param schema - the app's schema, which every statement names
   */
  constructor(
    private readonly dataSource: DataSource,
    readonly schema: string,
  ) {
    installQueryGuard(dataSource);
    this.executor = { query: (sql, parameters) => this.execute(sql, parameters) };
    this.prepared = {
      query: <Row>(sql: string, parameters: readonly unknown[] = []) =>
        this.withRunner((runner) => queryPrepared<Row>(runner, sql, parameters)),
    };
  }

  get isOpen(): boolean {
    return this.ownUnit() !== undefined;
  }

  /** Manager of the open unit, or the data source's, which commits each statement, while none is open. */
  get manager(): EntityManager {
    return this.ownUnit()?.manager ?? this.dataSource.manager;
  }

  /**
   * Runs `work` in a transaction (read committed) and commits it; joins the open unit of this database if there is
   * one. `work` is run again, up to six times, on a deadlock or a serialisation failure, so it must not change
   * anything outside the database.
   *
   * @throws what `work` throws, after a rollback
   * @throws DatabaseUnavailableError when the database is away or too slow
   * @throws QueryOutsideTransactionError when a unit of another database is open
   * @throws TransactionRolledBackError when a part of it failed and `work` did not pass the error on
   */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const open = currentTransaction();
    if (!open) return this.runInNewTransaction(work);
    const own = this.ownUnit();
    if (!own)
      return Promise.reject(new QueryOutsideTransactionError('A unit of another database is open in this context.'));
    return this.join(own, work);
  }

  /**
   * Runs `work` in a unit of its own, also while another is open, whose outcome does not touch it.
   *
   * Normally a counter that must survive a refusal is committed by a `run()` before the refusing one; this is for
   * the rare place where that cannot be. The open unit keeps its connection meanwhile, so `work` must not need rows
   * that it has locked (the lock timeout would end both) and each caller takes two connections from the pool.
   */
  async runInNewTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return runWithTransaction(undefined, async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.attempt(work);
        } catch (error) {
          if (attempt >= MAX_ATTEMPTS || !isTransactionConflictError(error)) throw error;
          // Full jitter: those who collided must not meet again.
          await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
        }
      }
    });
  }

  /**
   * Runs `step` at the end of the open unit's work, inside it. For locks that many units need in one order: taken
   * once and last, they are held for a moment and cannot cross.
   *
   * @throws QueryOutsideTransactionError while no unit of this database is open
   */
  beforeCommit(step: () => Promise<void>): void {
    const unit = this.ownUnit();
    if (!unit) throw new QueryOutsideTransactionError('beforeCommit() needs an open unit of work.');
    unit.lastSteps.push(step);
  }

  /** Calls `callback` after the commit of the open unit, in order of registration; at once when none is open. */
  afterCommit(callback: () => void): void {
    const unit = this.ownUnit();
    if (unit) unit.callbacks.push(callback);
    else runWithTransaction(undefined, () => this.call(callback));
  }

  private async join<Result>(unit: Unit, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      unit.failure ??= { cause: error };
      throw error;
    }
  }

  private async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const runner = this.dataSource.createQueryRunner();
    const unit: Unit = { scope: this, runner, manager: runner.manager, callbacks: [], lastSteps: [], open: true };
    const connection = (await runner.connect()) as PoolClient;
    try {
      begin(unit, connection);
      const result = await this.workIn(unit, work);
      await unit.begun;
      await this.commit(unit);
      unit.callbacks.forEach((callback) => this.call(callback));
      return result;
    } catch (error) {
      await this.rollBack(runner);
      // Statements that travel together fail together, and only one of them says why.
      throw isTransactionAbortedError(error) ? (unit.firstError ?? error) : error;
    } finally {
      await runner.release();
    }
  }

  private async workIn<Result>(unit: Unit, work: () => Promise<Result>): Promise<Result> {
    try {
      return await runWithTransaction(unit, async () => {
        const result = await work();
        for (const step of unit.lastSteps) await step();
        return result;
      });
    } finally {
      unit.open = false;
    }
  }

  /**
   * After a failed statement Postgres answers COMMIT with ROLLBACK and no error, which TypeORM takes for a commit:
   * acknowledged, and lost. So COMMIT is sent past it and the answer is read.
   */
  private async commit({ runner, failure }: Unit): Promise<void> {
    if (failure) throw new TransactionRolledBackError(failure.cause);
    // TypeORM releases a runner whose connection is lost.
    if (runner.isReleased) throw new DatabaseUnavailableError();
    const connection = (await runner.connect()) as PoolClient;
    try {
      const { command } = await connection.query('COMMIT');
      if (command !== 'COMMIT') throw new TransactionRolledBackError();
    } catch (error) {
      if (error instanceof TransactionRolledBackError) throw error;
      // A rollback would only wait as long again on a connection that does not answer.
      if (isReadTimeout(error)) await discardConnection(runner, error);
      if (isDatabaseUnavailableError(error)) throw new DatabaseUnavailableError({ cause: error });
      throw new QueryFailedError('COMMIT', undefined, error as Error);
    }
  }

  private async rollBack(runner: QueryRunner): Promise<void> {
    if (!runner.isTransactionActive || runner.isReleased) return;
    try {
      await runner.rollbackTransaction();
    } catch (error) {
      this.logger.warn({ msg: 'Rollback failed, closing the connection', err: error });
      await discardConnection(runner, error as Error);
    }
  }

  private execute<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> {
    return this.withRunner(async (runner) => {
      // The structured result has rows for every command; the plain one of UPDATE and DELETE is a pair.
      const result = await runner.query(sql, parameters ? [...parameters] : undefined, true);
      return (result as QueryResult<Row>).records;
    });
  }

  private async withRunner<Result>(work: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
    const open = this.ownUnit();
    const runner = open?.runner ?? this.dataSource.createQueryRunner();
    try {
      return await work(runner);
    } catch (error) {
      if (open) open.firstError ??= error;
      throw error;
    } finally {
      if (!open) await runner.release();
    }
  }

  private ownUnit(): Unit | undefined {
    const unit = currentTransaction();
    return unit?.scope === this ? (unit as Unit) : undefined;
  }

  private call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.logger.error({ msg: 'After-commit callback failed', err: error });
    }
  }
}

/**
 * Opens a transaction without waiting for the answer: BEGIN travels with the first statement of the unit that only
 * reads. Should it fail although the connection is not lost (it was cancelled), nothing more is sent on that.
 */
function begin(unit: Unit, connection: PoolClient): void {
  const { runner } = unit;
  coalesceWrites(connection);
  unit.begun = connection.query('START TRANSACTION').then(
    () => (unit.begun = undefined),
    async (cause: unknown) => {
      await discardConnection(runner, cause as Error);
      throw new DatabaseUnavailableError({ cause });
    },
  );
  unit.begun.catch(() => undefined);
  // What TypeORM's startTransaction() notes, which sends nothing before it has waited.
  Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
}
