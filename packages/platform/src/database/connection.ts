import type { Socket } from 'node:net';
import { Client, type ClientBase, type PoolConfig } from 'pg';
import { typesWithSafeInt8 } from './int8.js';

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

/** Quotes an SQL identifier. Names come only from code and configuration; quoting them is a precaution. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Opens a connection outside the pools and without statement timeouts.
 *
 * @throws DatabaseStartError naming variable and host
 */
export async function openDedicatedConnection(address: DatabaseAddress, applicationName: string): Promise<Client> {
  const client = new Client({
    connectionString: address.url,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
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
