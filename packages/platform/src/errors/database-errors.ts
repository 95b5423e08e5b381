import { types } from 'node:util';
import { QueryFailedError } from 'typeorm';

/**
 * The database does not respond or is too slow: connection refused or lost, start-up or shutdown, too many connections,
 * timeouts, disk full. The request did not cause the error and may be retried. The outcome of a commit that failed with
 * `DatabaseUnavailableError` is unknown.
 */
export class DatabaseUnavailableError extends Error {
  constructor(options?: ErrorOptions) {
    super('The database is not available', options);
    this.name = 'DatabaseUnavailableError';
  }
}

/** SQLSTATE classes of an unavailable database: connection exception and insufficient resources. */
const UNAVAILABLE_SQLSTATE_CLASSES = ['08', '53'];
/**
 * SQLSTATEs of an unavailable database: shutdown and start-up; timeouts of statement, lock, idle transaction and
 * transaction; a standby after a failover; a database closed for maintenance (ALLOW_CONNECTIONS false).
 */
const UNAVAILABLE_SQLSTATES = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '57014',
  '55P03',
  '25P03',
  '25P04',
  '25006',
  '55000',
]);
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Messages of driver errors that have no code. */
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** Returns true if the error or any of its causes means that the database is unavailable. */
export function isDatabaseUnavailableError(error: unknown): boolean {
  return hasCause(error, (cause) => {
    if (cause instanceof DatabaseUnavailableError) return true;
    const code = (cause as { code?: unknown }).code;
    if (typeof code === 'string') {
      if (UNAVAILABLE_SYSTEM_CODES.has(code) || UNAVAILABLE_SQLSTATES.has(code)) return true;
      if (/^[0-9A-Z]{5}$/.test(code) && UNAVAILABLE_SQLSTATE_CLASSES.includes(code.slice(0, 2))) return true;
    }
    return UNAVAILABLE_MESSAGES.test(cause.message);
  });
}

/** SQLSTATEs of timeouts, which a single statement or transaction can cause while the database is available. */
const TIMEOUT_SQLSTATES = ['57014', '55P03', '25P03', '25P04'];

/**
 * Returns true if work failed because the whole database was unavailable, and not only because one statement or
 * transaction timed out. All database work fails in the same way during an outage, so a stack trace is of no use.
 */
export function isDatabaseOutageError(error: unknown): boolean {
  const isTimeout = (cause: Error) => TIMEOUT_SQLSTATES.includes(String((cause as { code?: unknown }).code));
  return hasCause(error, (cause) => cause instanceof DatabaseUnavailableError) && !hasCause(error, isTimeout);
}

/** A concurrent transaction has stored what this transaction needs to read: the same work succeeds when retried. */
export class TransactionConflictError extends Error {
  constructor(options?: ErrorOptions) {
    super('A concurrent transaction has stored the same object', options);
    this.name = 'TransactionConflictError';
  }
}

/** Returns true for a conflict with a concurrent transaction, such as a deadlock: the same work may succeed when retried. */
export function isTransactionConflictError(error: unknown): boolean {
  return hasCause(
    error,
    (cause) =>
      cause instanceof TransactionConflictError ||
      ['40P01', '40001'].includes(String((cause as { code?: unknown }).code)),
  );
}

/** Returns true if a statement was rejected only because an earlier statement of the transaction had failed. */
export function isTransactionAbortedError(error: unknown): boolean {
  return hasCause(error, (cause) => (cause as { code?: unknown }).code === '25P02');
}

/**
 * Returns true if `matches` accepts the error, its `cause`, TypeORM's `driverError` or an error of an AggregateError,
 * which the driver throws if all addresses of a host fail.
 */
function hasCause(error: unknown, matches: (cause: Error) => boolean): boolean {
  // `instanceof` misses errors of another realm, and Node 20 has no `Error.isError`.
  // oxlint-disable-next-line typescript/no-deprecated
  if (!types.isNativeError(error)) return false;
  if (matches(error)) return true;
  const { driverError, errors } = error as { driverError?: unknown; errors?: unknown };
  const nested = [error.cause, driverError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return nested.some((inner) => inner !== error && hasCause(inner, matches));
}

const UNIQUE_VIOLATION = '23505';

/** Returns the name of the violated unique constraint, or `undefined` if the error has another cause. */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const { code, constraint } = error.driverError as { code?: string; constraint?: string };
  return code === UNIQUE_VIOLATION ? (constraint ?? '') : undefined;
}
