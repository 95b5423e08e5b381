import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo, type CopyToStreamQuery } from 'pg-copy-streams';
import { openDedicatedConnection, quoteIdentifier, type DatabaseAddress } from './connection.js';
import { MIGRATIONS_TABLE, migrationsTableOf } from './migrate.js';

/** A table and its columns, without generated columns. */
export interface TableColumns {
  schema: string;
  table: string;
  columns: string[];
}

/** The last number that a sequence has assigned. */
export interface SequenceValue {
  schema: string;
  sequence: string;
  /** A 64-bit integer. */
  value: string;
}

/**
 * Settings under which the text format of COPY is the same in all server versions, and without the limits of the role:
 * a large table takes long.
 */
const COPY_SETTINGS = [
  `SET datestyle = 'ISO, YMD'`,
  `SET intervalstyle = 'postgres'`,
  `SET timezone = 'UTC'`,
  `SET extra_float_digits = 3`,
  `SET bytea_output = 'hex'`,
  `SET statement_timeout = 0`,
  `SET idle_in_transaction_session_timeout = 0`,
];

/** A connection that copies tables. */
export type CopyConnection = Client;

/** @throws DatabaseStartError */
export async function openCopyConnection(address: DatabaseAddress, applicationName: string): Promise<CopyConnection> {
  const client = await openDedicatedConnection(address, applicationName);
  for (const setting of COPY_SETTINGS) await client.query(setting);
  return client;
}

/**
 * Begins a read-only transaction on each connection. All see the same state of the database.
 *
 * @throws Error if the connections belong to different databases
 */
export async function beginSharedSnapshot([first, ...others]: readonly Client[]): Promise<void> {
  if (!first) return;
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';
  await first.query(begin);
  const { rows } = await first.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
  for (const client of others) {
    await client.query(begin);
    await client.query(`SET TRANSACTION SNAPSHOT ${client.escapeLiteral(rows[0]?.id ?? '')}`);
  }
}

/**
 * Returns the tables of a schema in an order in which they can be filled: each after those that it refers to. A
 * partitioned table contains its partitions. The list of migrations is left out. Locks the tables against changes of
 * their definition until the transaction ends.
 */
export async function listTables(client: Client, schema: string): Promise<TableColumns[]> {
  const { rows } = await client.query<{ table: string; columns: string[]; references: string[] }>(
    `SELECT c.relname::text AS table,
            ARRAY(SELECT attname::text FROM pg_attribute
                   WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
            ) AS columns,
            ARRAY(SELECT DISTINCT target.relname::text FROM pg_constraint
                    JOIN pg_class target ON target.oid = confrelid
                   WHERE conrelid = c.oid AND contype = 'f' AND NOT condeferrable AND confrelid <> c.oid
            ) AS references
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> $2
      ORDER BY c.relname`,
    [schema, MIGRATIONS_TABLE],
  );
  const names = rows.map(({ table }) => qualify(schema, table));
  if (names.length > 0) await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
  const sorted = sortByReferences(rows);
  return sorted.map(({ table, columns }) => ({ schema, table, columns }));
}

/** @throws Error if references form a cycle */
function sortByReferences<Row extends { table: string; references: string[] }>(rows: readonly Row[]): Row[] {
  const sorted: Row[] = [];
  const done = new Set<string>();
  while (sorted.length < rows.length) {
    const next = rows.filter(({ table, references }) => !done.has(table) && references.every((name) => done.has(name)));
    if (next.length === 0) throw new Error('The tables refer to each other in a cycle');
    for (const row of next) done.add(row.table);
    sorted.push(...next);
  }
  return sorted;
}

/** Returns the sequences that have assigned numbers. Sequences do not belong to a snapshot, so values may be newer. */
export async function listSequences(client: Client, schema: string): Promise<SequenceValue[]> {
  const { rows } = await client.query<SequenceValue>(
    `SELECT schemaname::text AS schema, sequencename::text AS sequence, last_value::text AS value
       FROM pg_sequences WHERE schemaname = $1 AND last_value IS NOT NULL ORDER BY sequencename`,
    [schema],
  );
  return rows;
}

/** Returns the names of the executed migrations of a schema in their order; an empty list for a missing schema. */
export async function listExecutedMigrations(client: Client, schema: string): Promise<string[]> {
  const { rows: found } = await client.query('SELECT to_regclass($1) AS name', [migrationsTableOf(schema)]);
  if ((found[0] as { name: string | null }).name === null) return [];
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${migrationsTableOf(schema)} ORDER BY id`);
  return rows.map(({ name }) => name);
}

/** Returns the rows of a table as text; `rowCount` is known at the end of the stream. */
export function copyTableTo(client: Client, { schema, table, columns }: TableColumns): CopyToStreamQuery {
  // A partitioned table can only be copied by a query.
  return copyQueryTo(client, `SELECT ${quoteAll(columns)} FROM ${qualify(schema, table)}`);
}

/** Returns the result of a query without parameters as text. */
export function copyQueryTo(client: Client, query: string): CopyToStreamQuery {
  return client.query(copyTo(`COPY (${query}) TO STDOUT`));
}

/**
 * Inserts the rows that {@link copyTableTo} has returned. Returns the number of rows.
 *
 * @param digest - is given the rows
 */
export async function copyTableFrom(
  client: Client,
  { schema, table, columns }: TableColumns,
  source: Readable,
  digest?: RowDigest,
): Promise<number> {
  const target = client.query(copyFrom(`COPY ${qualify(schema, table)} (${quoteAll(columns)}) FROM STDIN`));
  await (digest
    ? pipeline(source, (rows: AsyncIterable<Buffer>) => digest.observe(rows), target)
    : pipeline(source, target));
  return target.rowCount;
}

/** A digest of rows in the text format of COPY that does not depend on their order. */
export class RowDigest {
  private row = createHash('sha256');
  private sum = 0n;

  /** Sum of the digests of all rows. */
  get value(): bigint {
    return this.sum;
  }

  async *observe(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of rows) {
      this.update(chunk);
      yield chunk;
    }
  }

  /** A chunk may begin or end within a row. */
  private update(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const digest = this.row.update(chunk.subarray(start, end)).digest('hex');
      this.sum = BigInt.asUintN(256, this.sum + BigInt(`0x${digest}`));
      this.row = createHash('sha256');
      start = end + 1;
    }
    this.row.update(chunk.subarray(start));
  }
}

/** Returns the digest of the rows that a table has. */
export async function digestTable(client: Client, table: TableColumns): Promise<RowDigest> {
  const digest = new RowDigest();
  await pipeline(copyTableTo(client, table), (rows: AsyncIterable<Buffer>) => digest.observe(rows), discardAll);
  return digest;
}

async function discardAll(rows: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of rows) void chunk;
}

/**
 * Empties the tables, also of rows that migrations have inserted, and lets `fill` fill them, in the transaction of the
 * connection. Triggers do not run meanwhile, because the tables that they write are filled too. Foreign keys are checked.
 */
export async function refillTables(
  client: Client,
  tables: readonly TableColumns[],
  fill: () => Promise<void>,
): Promise<void> {
  if (tables.length === 0) return;
  await client.query(
    `TRUNCATE ${tables.map(({ schema, table }) => qualify(schema, table)).join(', ')} RESTART IDENTITY`,
  );
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT format('%I.%I', nspname, relname) AS name
       FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE nspname = ANY ($1) AND NOT tgisinternal AND relkind IN ('r', 'p')`,
    [schemas],
  );
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await fill();
  // A table whose checks wait for the end of the transaction cannot be altered.
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
}

/** Collects the planner's statistics of filled tables. */
export async function analyzeTables(client: Client, tables: readonly TableColumns[]): Promise<void> {
  for (const { schema, table } of tables) await client.query(`ANALYZE ${qualify(schema, table)}`);
}

export async function restoreSequence(client: Client, { schema, sequence, value }: SequenceValue): Promise<void> {
  await client.query('SELECT setval($1::regclass, $2::bigint)', [qualify(schema, sequence), value]);
}

function qualify(schema: string, name: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
}

function quoteAll(columns: readonly string[]): string {
  return columns.map(quoteIdentifier).join(', ');
}
