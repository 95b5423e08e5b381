import type { Socket } from 'node:net';
import pg, { Client, type ClientBase, type CustomTypesConfig, type PoolConfig } from 'pg';

const INT8_OID: number = pg.types.builtins.INT8;
/** Object id of int8 arrays, for which the driver has no constant. */
const INT8_ARRAY_OID: number = 1016;

/** The driver's lookup of type parsers, typed for any object id of a server. */
const parserOf = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown;

/**
 * Type parsers of the driver, with 64-bit integers as numbers. TypeORM's `parseInt8` is not used, because TypeORM's
 * parser rounds silently and applies to every connection of the process.
 */
export const typesWithSafeInt8: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === INT8_OID) return parseInt8;
    if (format !== 'binary' && oid === INT8_ARRAY_OID) return parseInt8Array;
    return parserOf(oid, format);
  }) as CustomTypesConfig['getTypeParser'],
};

/**
 * Parses a 64-bit integer.
 *
 * @param text - a 64-bit integer in the text format of Postgres
 * @throws RangeError beyond ±(2^53 − 1), where numbers are not exact
 */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} from the database is not a safe number.`);
  return value;
}

function parseInt8Array(text: string): unknown[] {
  const parse = parserOf(INT8_ARRAY_OID, 'text') as (value: string) => unknown[];
  const convert = (item: unknown): unknown =>
    Array.isArray(item) ? item.map(convert) : typeof item === 'string' ? parseInt8(item) : item;
  return parse(text).map(convert);
}

/** A database could not be opened at start: wrong host, wrong credentials, or the database is unavailable. */
export class DatabaseStartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseStartError';
  }
}

/** A connection URL and the environment variable that contains it. */
export interface DatabaseAddress {
  readonly url: string;
  /** Name of the environment variable for error messages, such as `DATABASE_URL`. */
  readonly variableName: string;
}

/** Returns the socket of a client, which the driver's types do not declare. A TLS handshake replaces the socket. */
export function socketOf(client: ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Quotes an SQL identifier. Identifiers come only from code and configuration; quoting is a precaution. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A backup or a migration should not fail because a busy server takes seconds to accept a connection. */
const CONNECT_TIMEOUT_MS = 30_000;

/**
 * Opens a connection outside the pools and without statement timeouts.
 *
 * @throws DatabaseStartError naming variable and host
 */
export async function openDedicatedConnection(address: DatabaseAddress, applicationName: string): Promise<Client> {
  const client = new Client({
    connectionString: address.url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: typesWithSafeInt8,
  } satisfies PoolConfig);
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw toDatabaseStartError(address, error);
  }
  return client;
}

/** Returns the role of a connection URL. */
export function roleFromUrl(url: string): string | undefined {
  return new Client({ connectionString: url }).user;
}

/**
 * Converts an error to a `DatabaseStartError` that names the variable, the host and the cause, and never the password.
 */
export function toDatabaseStartError({ url, variableName }: DatabaseAddress, cause: unknown): DatabaseStartError {
  if (cause instanceof DatabaseStartError) return cause;
  const target = describeDatabaseAddress(url);
  return new DatabaseStartError(`Cannot open the database of ${variableName} (${target}): ${reasonOf(cause)}`, {
    cause,
  });
}

function describeDatabaseAddress(url: string): string {
  try {
    const { host, port, database, user } = new Client({ connectionString: url });
    const server = host.startsWith('/') ? `socket ${host}` : `host ${host}:${port}`;
    return `${server}, database ${database ?? '(none)'}, user ${user ?? '(none)'}`;
  } catch {
    return 'its value is not a postgres:// URL';
  }
}

/** Returns the cause as text. If all addresses of a host fail, the error is an AggregateError with an empty message. */
function reasonOf(cause: unknown): string {
  const { message, code, errors } = cause as { message?: string; code?: string; errors?: unknown[] };
  if (message) return message;
  return errors?.length ? errors.map(reasonOf).join('; ') : (code ?? 'unknown error');
}
