import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryRunner } from 'typeorm';

/** An open transaction of a `UnitOfWork`. */
export interface OpenTransaction {
  readonly scope: object;
  readonly runner: QueryRunner;
  /** False once the work of the transaction has ended. */
  open: boolean;
}

/** A query that would run outside the transaction in whose context it was issued: a programming error. */
export class QueryOutsideTransactionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueryOutsideTransactionError';
  }
}

/** The whole transaction was rolled back, because joined work failed and a caller ignored the error. */
export class TransactionRolledBackError extends Error {
  constructor(cause?: unknown) {
    super('The transaction was rolled back because a part of it failed, although its work continued', { cause });
    this.name = 'TransactionRolledBackError';
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

/** Returns whether the runner is the one of the current asynchronous context's transaction, which may have ended. */
export function isRunnerOfContext(runner: QueryRunner): boolean {
  return transactionContext.getStore()?.runner === runner;
}

/**
 * Asserts that a query of this runner belongs to the open transaction of its asynchronous context, if there is one.
 *
 * @throws QueryOutsideTransactionError
 */
export function assertInTransaction(runner: QueryRunner): void {
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
