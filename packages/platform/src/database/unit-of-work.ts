// Step 1 of docs/from-change-to-socket.md: the transaction of the change.
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, QueryResult } from 'typeorm';
import type { SqlExecutor, Statement, TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { runAs } from '../concurrency/work-priority.js';
import type { AppDataSource, AppQueryRunner } from './app-data-source.js';
import { isTransactionAbortedError, isTransactionConflictError } from '../errors/database-errors.js';
import {
  QueryOutsideTransactionError,
  TransactionRolledBackError,
  currentTransaction,
  runWithTransaction,
  type OpenTransaction,
} from './transaction-context.js';
import { Turns, TurnTakenError } from './turns.js';
import { WaitLimit } from './wait-limit.js';

/** Maximum number of attempts when the database reports a deadlock or a serialization failure. */
const MAX_ATTEMPTS = 6;
const BASE_DELAY_MS = 5;

interface UnitOfWorkTransaction extends OpenTransaction {
  readonly runner: AppQueryRunner;
  readonly manager: EntityManager;
  readonly afterCommitCallbacks: (() => void)[];
  readonly beforeCommitSteps: (() => Promise<void>)[];
  /** Turns that end with the transaction, by key. */
  readonly turns: Map<string, () => void>;
  /**
   * Set when work that joined the transaction has failed. The writes of failed work must not be committed, even if a
   * caller catches the error.
   */
  failure?: { readonly cause: unknown };
  /** Set when the transaction needs a turn that another transaction has; it must not be committed. */
  missingTurn?: TurnTakenError;
}

/**
 * Runs transactions of one app's database. Repositories and the outbox use its `manager` or `executor`, so that all
 * their changes inside `run()` are committed together. Each app has its own subclass for injection: `class
 * UserctxUnitOfWork extends UnitOfWork {}`.
 *
 * A transaction holds a connection and locks and may be retried, so callers must not do I/O, hashing or work of other
 * contexts inside it.
 */
export class UnitOfWork implements TransactionScope {
  readonly executor: SqlExecutor;
  private readonly turns: Turns;
  private readonly logger = new Logger(UnitOfWork.name);

  /**
   * @param dataSource - the app's initialized data source
   * @param schema - the app's schema; every statement must qualify its tables with it
   */
  constructor(
    private readonly dataSource: AppDataSource,
    readonly schema: string,
  ) {
    this.turns = new Turns(new WaitLimit({ app: schema, resource: 'turn', ms: dataSource.lockTimeoutMs }));
    this.executor = { query: (statement, parameters) => this.execute(statement, parameters) };
  }

  get isInTransaction(): boolean {
    return this.ownTransaction() !== undefined;
  }

  /**
   * Manager of the current transaction. Outside a transaction, `manager` is the data source's manager, which commits
   * each statement.
   */
  get manager(): EntityManager {
    return this.ownTransaction()?.manager ?? this.dataSource.manager;
  }

  /**
   * Runs `work` in a transaction (read committed) and commits the transaction. Inside a transaction of this database,
   * `run` joins that transaction. After a deadlock or a serialization failure, `work` runs again, up to six times in
   * all, so `work` must not change anything outside the database.
   *
   * @throws the error of `work`, after a rollback
   * @throws DatabaseUnavailableError if the database is unavailable or too slow
   * @throws QueryOutsideTransactionError inside a transaction of another database
   * @throws TransactionRolledBackError if a part of the transaction failed and `work` did not rethrow the error
   */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const open = currentTransaction();
    if (!open) return this.runInNewTransaction(work);
    const own = this.ownTransaction();
    if (!own) {
      return Promise.reject(
        new QueryOutsideTransactionError('A transaction of another database is open in this context.'),
      );
    }
    return this.joinTransaction(own, work);
  }

  /**
   * Runs `work` in a separate transaction, even inside another transaction. The outcome of the outer transaction does
   * not affect the separate transaction.
   *
   * A counter that must survive a rejection is normally committed by an earlier `run()`; `runInNewTransaction` is for
   * cases where an earlier `run()` is impossible. The outer transaction occupies its connection while `work` runs.
   * `work` must not need rows that the outer transaction has locked (the lock timeout would abort both), and each
   * caller uses two connections of the pool.
   */
  async runInNewTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    // A nested transaction must not wait for connections that are occupied by callers like its own.
    if (currentTransaction()) return runAs('internal', () => this.attemptRepeatedly(work));
    return this.attemptRepeatedly(work);
  }

  /**
   * Must be called before a transaction locks a row for which many transactions wait, such as a family's, and at the
   * earliest point. If another transaction of this process has the turn of the key, this transaction is rolled back,
   * waits for the turn without occupying a connection, and runs again. The turn ends with the transaction. Without a
   * transaction, the call has no effect.
   *
   * @throws TurnTakenError, which ends the attempt
   */
  takeTurn(key: string): void {
    const transaction = this.ownTransaction();
    if (!transaction || transaction.turns.has(key)) return;
    try {
      transaction.turns.set(key, this.turns.take(key));
    } catch (error) {
      transaction.missingTurn ??= error as TurnTakenError;
      throw error;
    }
  }

  /**
   * Runs `step` at the end of the current transaction, before the commit. `beforeCommit` is for locks that many
   * transactions need: transactions that acquire such locks last and in the same order hold the locks briefly and
   * cannot deadlock.
   *
   * @throws QueryOutsideTransactionError outside a transaction of this database
   */
  beforeCommit(step: () => Promise<void>): void {
    const transaction = this.ownTransaction();
    if (!transaction) throw new QueryOutsideTransactionError('beforeCommit() must be called inside a transaction.');
    transaction.beforeCommitSteps.push(step);
  }

  /**
   * Calls `callback` after the current transaction's commit, in order of registration; outside a transaction, calls
   * `callback` immediately.
   */
  afterCommit(callback: () => void): void {
    const transaction = this.ownTransaction();
    if (transaction) transaction.afterCommitCallbacks.push(callback);
    else runWithTransaction(undefined, () => this.runCallback(callback));
  }

  private attemptRepeatedly<Result>(work: () => Promise<Result>): Promise<Result> {
    return runWithTransaction(undefined, async () => {
      const missingTurns = new Set<string>();
      for (let attempt = 1; ;) {
        try {
          const turns = await this.turns.waitFor(missingTurns);
          try {
            return await this.attemptTransaction(work, turns);
          } finally {
            for (const end of turns.values()) end();
          }
        } catch (error) {
          if (error instanceof TurnTakenError) {
            missingTurns.add(error.key);
            continue;
          }
          if (attempt >= MAX_ATTEMPTS || !isTransactionConflictError(error)) throw error;
          // Full jitter, so that conflicting transactions are not retried together.
          await sleep(Math.random() * BASE_DELAY_MS * 2 ** attempt);
          attempt += 1;
        }
      }
    });
  }

  private async joinTransaction<Result>(
    transaction: UnitOfWorkTransaction,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      transaction.failure ??= { cause: error };
      throw error;
    }
  }

  private async attemptTransaction<Result>(
    work: () => Promise<Result>,
    turns: Map<string, () => void>,
  ): Promise<Result> {
    const runner = this.dataSource.createQueryRunner();
    const transaction: UnitOfWorkTransaction = {
      scope: this,
      runner,
      manager: runner.manager,
      afterCommitCallbacks: [],
      beforeCommitSteps: [],
      turns,
      isOpen: true,
    };
    try {
      await runner.startTransaction();
      const result = await this.runWork(transaction, work);
      if (transaction.missingTurn) throw transaction.missingTurn;
      if (transaction.failure) throw new TransactionRolledBackError(transaction.failure.cause);
      await runner.commitTransaction();
      transaction.afterCommitCallbacks.forEach((callback) => this.runCallback(callback));
      return result;
    } catch (error) {
      await this.rollBack(runner);
      if (transaction.missingTurn) throw transaction.missingTurn;
      // Pipelined statements fail together, and only one of their errors names the cause.
      throw isTransactionAbortedError(error) ? (runner.abortCause ?? error) : error;
    } finally {
      await runner.release();
    }
  }

  private async runWork<Result>(transaction: UnitOfWorkTransaction, work: () => Promise<Result>): Promise<Result> {
    try {
      return await runWithTransaction(transaction, async () => {
        const result = await work();
        for (const step of transaction.beforeCommitSteps) await step();
        return result;
      });
    } finally {
      transaction.isOpen = false;
    }
  }

  private async rollBack(runner: AppQueryRunner): Promise<void> {
    if (!runner.isTransactionActive || runner.isReleased) return;
    try {
      await runner.rollbackTransaction();
    } catch (error) {
      this.logger.warn({ msg: 'Rollback failed, closing the connection', err: error });
      runner.discard(error as Error);
    }
  }

  private execute<Row>(statement: Statement, parameters?: readonly unknown[]): Promise<Row[]> {
    return this.withRunner(async (runner) => {
      if (typeof statement !== 'string') return runner.queryPrepared<Row>(statement.sql, parameters ?? []);
      // TypeORM's structured result contains the rows for every command; its plain result of UPDATE and DELETE is a
      // pair of rows and count.
      const result = await runner.query<QueryResult<Row>>(statement, parameters ? [...parameters] : undefined, true);
      return result.records;
    });
  }

  private async withRunner<Result>(work: (runner: AppQueryRunner) => Promise<Result>): Promise<Result> {
    const open = this.ownTransaction();
    const runner = open?.runner ?? this.dataSource.createQueryRunner();
    try {
      return await work(runner);
    } finally {
      if (!open) await runner.release();
    }
  }

  private ownTransaction(): UnitOfWorkTransaction | undefined {
    const transaction = currentTransaction();
    return transaction?.scope === this ? (transaction as UnitOfWorkTransaction) : undefined;
  }

  private runCallback(callback: () => void): void {
    try {
      // Callbacks after a commit notify the outbox relay and caches, which is the service's own work, not the
      // request's.
      runAs('internal', callback);
    } catch (error) {
      this.logger.error({ msg: 'After-commit callback failed', err: error });
    }
  }
}
