import { Client, type PoolConfig } from 'pg';
import { typesWithSafeInt8 } from './int8.js';

/** A database could not be opened at start: wrong address, wrong credentials, or it is away. */
export class DatabaseStartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseStartError';
  }
}

/** Who connects where, and what to call it in an error message. */
export interface DatabaseAddress {
  readonly url: string;
  /** Name of the setting that holds the url, e.g. `DATABASE_URL`. */
  readonly variable: string;
}

/** Identifiers come from our code and our configuration, but are quoted all the same. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Opens one connection, outside every pool and without time limits for statements.
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

/** Role of a connection url. */
export function roleFromUrl(url: string): string | undefined {
  return new Client({ connectionString: url }).user;
}

/** A message for the log that names the variable, the host and the cause, and never the password. */
export function toDatabaseStartError({ url, variable }: DatabaseAddress, cause: unknown): DatabaseStartError {
  if (cause instanceof DatabaseStartError) return cause;
  const target = describeTarget(url);
  return new DatabaseStartError(`Cannot open the database of ${variable} (${target}): ${reasonOf(cause)}`, { cause });
}

function describeTarget(url: string): string {
  try {
    const { host, port, database, user } = new Client({ connectionString: url });
    const place = host.startsWith('/') ? `socket ${host}` : `host ${host}:${port}`;
    return `${place}, database ${database ?? '(none)'}, user ${user ?? '(none)'}`;
  } catch {
    return 'its value is not a postgres:// url';
  }
}

/** All addresses of a host failing gives an AggregateError, whose own message is empty. */
function reasonOf(cause: unknown): string {
  const { message, code, errors } = cause as { message?: string; code?: string; errors?: unknown[] };
  if (message) return message;
  return errors?.length ? errors.map(reasonOf).join('; ') : (code ?? 'unknown error');
}
