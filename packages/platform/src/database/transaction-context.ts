import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryRunner } from 'typeorm';

/** An open transaction of a `UnitOfWork`. */
export interface OpenTransaction {
  /** The unit of work that has opened the transaction. */
  readonly scope: object;
  readonly runner: QueryRunner;
  /** False once the work of the transaction has ended. */
  isOpen: boolean;
}

/** A query that would run outside the transaction in whose context it was issued: a programming error. */
export class QueryOutsideTransactionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueryOutsideTransactionError';
  }
}

/** The whole transaction was rolled back, because a part of its work failed and a caller caught the error. */
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
  return transaction?.isOpen ? transaction : undefined;
}

/** Runs `work` in the context of `transaction`, or outside any transaction if `transaction` is undefined. */
export function runWithTransaction<Result>(transaction: OpenTransaction | undefined, work: () => Result): Result {
  return transactionContext.run(transaction, work);
}

/** Returns whether the runner belongs to the transaction of the current asynchronous context, which may have ended. */
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
  if (transaction.isOpen && transaction.runner !== runner) {
    throw new QueryOutsideTransactionError(
      'A query was issued outside the open transaction. Use the manager or executor of the unit of work. Run a query that ' +
        'must be committed separately before or after the transaction, or in runInNewTransaction().',
    );
  }
  if (!transaction.isOpen && transaction.runner === runner) {
    throw new QueryOutsideTransactionError(
      'A query was issued in a transaction that has ended: its work did not await the query.',
    );
  }
}
