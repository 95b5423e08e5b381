/** A constant SQL statement that runs often; each database connection prepares the statement once. */
export class PreparedStatement {
  constructor(readonly sql: string) {}
}

export function prepared(sql: string): PreparedStatement {
  return new PreparedStatement(sql);
}

export type Statement = string | PreparedStatement;

/** Runs one SQL statement with positional parameters (`$1`, `$2`, …) and returns its rows. */
export interface SqlExecutor {
  query<Row = Record<string, unknown>>(statement: Statement, parameters?: readonly unknown[]): Promise<Row[]>;
}

/**
 * Transactions of one app's database, for packages that do not use the ORM; implemented by the platform's `UnitOfWork`.
 * The event bus accesses the database only through this interface.
 */
export interface TransactionScope {
  /**
   * Name of the app's schema (`userctx`, `mcdisk` or `gateway`); every statement must qualify its tables with the
   * schema.
   */
  readonly schema: string;
  /** Executes statements in the current transaction; without a transaction, each statement is committed on its own. */
  readonly executor: SqlExecutor;
  /** True if the current asynchronous context is in a transaction of this scope. */
  readonly isInTransaction: boolean;
  /** Runs `work` in a transaction; joins the current transaction of this scope, if any. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Calls `callback` after the current transaction commits, never after a rollback; errors of `callback` are only
   * logged.
   */
  afterCommit(callback: () => void): void;
}
