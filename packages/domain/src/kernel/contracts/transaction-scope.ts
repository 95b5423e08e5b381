/** Runs one SQL statement with positional parameters (`$1`, `$2`, …) and returns its rows. */
export interface SqlExecutor {
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/**
 * One unit of work of one app's database, as the packages below the ORM see it.
 * The platform's `UnitOfWork` implements it; the event bus needs nothing else of a database.
 */
export interface TransactionScope {
  /** Name of the app's schema (`userctx`, `mcdisk` or `gateway`); every statement names it. */
  readonly schema: string;
  /** The open unit's connection, or an autocommitting one while none is open. */
  readonly executor: SqlExecutor;
  /** The same for fixed statements that run all the time: each connection plans them once. */
  readonly prepared: SqlExecutor;
  /** True while a unit of this scope is open in the current asynchronous context. */
  readonly isOpen: boolean;
  /** Runs `work` in a transaction; joins the open unit of this scope if there is one. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Calls `callback` once the open unit has committed (never after a rollback); errors in it are logged only. */
  afterCommit(callback: () => void): void;
}
