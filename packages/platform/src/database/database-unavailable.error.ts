import { types } from 'node:util';

/**
 * The database does not answer, or not in time: connection refused or lost, starting up or shutting down, too many
 * connections, timeouts, disk full. Nothing is wrong with the request, which may be sent again; whether a commit that
 * ended like this took place is unknown.
 */
export class DatabaseUnavailableError extends Error {
  constructor(options?: ErrorOptions) {
    super('The database is not available', options);
    this.name = 'DatabaseUnavailableError';
  }
}

/** SQLSTATE classes: connection exception, insufficient resources. */
const UNAVAILABLE_CLASSES = ['08', '53'];
/**
 * Shutdown and start-up; timeouts of statement, lock, idle transaction and transaction; a standby after a failover; a
 * database that is closed for maintenance (ALLOW_CONNECTIONS false).
 */
const UNAVAILABLE_STATES = new Set([
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
/** The driver gives these no code. */
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** True for errors of driver or server that say the database is away, wherever they stand in the chain of causes. */
export function isDatabaseUnavailableError(error: unknown): boolean {
  return someCause(error, (cause) => {
    if (cause instanceof DatabaseUnavailableError) return true;
    const code = (cause as { code?: unknown }).code;
    if (typeof code === 'string') {
      if (UNAVAILABLE_SYSTEM_CODES.has(code) || UNAVAILABLE_STATES.has(code)) return true;
      if (/^[0-9A-Z]{5}$/.test(code) && UNAVAILABLE_CLASSES.includes(code.slice(0, 2))) return true;
    }
    return UNAVAILABLE_MESSAGES.test(cause.message);
  });
}

/** True for a deadlock or a serialisation failure: the same work may succeed when it is run again. */
export function isTransactionConflictError(error: unknown): boolean {
  return someCause(error, (cause) => ['40P01', '40001'].includes(String((cause as { code?: unknown }).code)));
}

/** True for a statement that was refused only because one before it in the transaction had failed. */
export function isTransactionAbortedError(error: unknown): boolean {
  return someCause(error, (cause) => (cause as { code?: unknown }).code === '25P02');
}

/** Walks `cause`, TypeORM's `driverError` and the parts of an AggregateError (all addresses of a host failed). */
function someCause(error: unknown, matches: (cause: Error) => boolean): boolean {
  // `instanceof` misses errors of another realm, and Node 20 has no `Error.isError`.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  if (!types.isNativeError(error)) return false;
  if (matches(error)) return true;
  const { driverError, errors } = error as { driverError?: unknown; errors?: unknown };
  const parts = [error.cause, driverError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return parts.some((part) => part !== error && someCause(part, matches));
}
