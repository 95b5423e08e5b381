import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { quoteIdentifier } from '@family-watch/platform/database/connection';

/** Attempts to find values that all constraints of a table accept. */
const MAX_ATTEMPTS = 3_000;

/** Text that the format of COPY escapes. */
const AWKWARD_TEXT = 'tab\t, line\n, \\N, "quote", ä 🏖';

interface Column {
  name: string;
  /** Such as `text`, `uuid` or `text[]`. */
  type: string;
  isNullable: boolean;
}

interface ForeignKey {
  columns: string[];
  referenced: string;
  referencedColumns: string[];
}

interface Table {
  columns: Column[];
  checks: string[];
  foreignKeys: ForeignKey[];
}

const SELECT_COLUMNS = `
  SELECT attname AS name, format_type(atttypid, NULL) AS type, NOT attnotnull AS "isNullable" FROM pg_attribute
   WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''
   ORDER BY attnum`;
const SELECT_CHECKS = `
  SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'c'`;
const SELECT_FOREIGN_KEYS = `
  SELECT confrelid::regclass::text AS referenced,
         ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS key (number, place)
                 JOIN pg_attribute ON attrelid = conrelid AND attnum = number ORDER BY place) AS columns,
         ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY AS key (number, place)
                 JOIN pg_attribute ON attrelid = confrelid AND attnum = number ORDER BY place) AS "referencedColumns"
    FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'f'`;

/**
 * Inserts one row whose values are taken at random, with the same sequence for each run, until the server accepts them:
 * of the right type, in the lists and ranges that the checks name, and of existing rows for foreign keys.
 *
 * @param table - quoted name with schema; the tables to which it refers must have rows
 * @throws Error with the last rejection of the server
 */
export async function insertGeneratedRow(client: Client, table: string): Promise<void> {
  const description = await describeTable(client, table);
  const random = new RandomSource(table);
  let rejection = '';
  await client.query('BEGIN');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    await client.query('SAVEPOINT attempt');
    try {
      const row = await generateRow(client, description, random);
      const names = Object.keys(row).map(quoteIdentifier).join(', ');
      const values = Object.keys(row).map((_, index) => `$${index + 1}`);
      await client.query(`INSERT INTO ${table} (${names}) VALUES (${values.join(', ')})`, Object.values(row));
      await client.query('SET CONSTRAINTS ALL IMMEDIATE');
      await client.query('COMMIT');
      return;
    } catch (error) {
      rejection = (error as Error).message;
      await client.query('ROLLBACK TO attempt');
    }
  }
  await client.query('ROLLBACK');
  throw new Error(`No generated row fits into ${table}: ${rejection}`);
}

async function describeTable(client: Client, table: string): Promise<Table> {
  const { rows: columns } = await client.query<Column>(SELECT_COLUMNS, [table]);
  const { rows: checks } = await client.query<{ definition: string }>(SELECT_CHECKS, [table]);
  const { rows: foreignKeys } = await client.query<ForeignKey>(SELECT_FOREIGN_KEYS, [table]);
  return { columns, checks: checks.map(({ definition }) => definition), foreignKeys };
}

async function generateRow(
  client: Client,
  { columns, checks, foreignKeys }: Table,
  random: RandomSource,
): Promise<Record<string, unknown>> {
  // Checks that compare ids need equal ones, and an order.
  const ids = [random.uuid(), random.uuid()];
  const row = Object.fromEntries(
    columns.map((column) => [
      column.name,
      column.isNullable && random.chance() ? null : generateValue(column, checks, ids, random),
    ]),
  );
  for (const { columns: names, referenced, referencedColumns } of foreignKeys) {
    const list = referencedColumns.map((name) => `${quoteIdentifier(name)}::text`).join(', ');
    const { rows } = await client.query<unknown[]>({
      text: `SELECT ${list} FROM ${referenced} ORDER BY random() LIMIT 1`,
      rowMode: 'array',
    });
    const [values] = rows;
    // A row may not refer to a table without rows.
    names.forEach((name, index) => (row[name] = row[name] === null ? null : (values?.[index] ?? null)));
  }
  return row;
}

function generateValue(
  { name, type }: Column,
  checks: readonly string[],
  ids: string[],
  random: RandomSource,
): unknown {
  const element = /^(.*)\[\]$/.exec(type)?.[1];
  if (element !== undefined) return [generateValue({ name, type: element, isNullable: false }, checks, ids, random)];
  const relevant = checks.filter((definition) => new RegExp(`\\b${name}\\b`).test(definition));
  const literals = relevant.flatMap((definition) => [...definition.matchAll(/'(\w*)'::text/g)].map(([, text]) => text));
  const numbers = relevant.flatMap((definition) => [...definition.matchAll(/\b\d+\b/g)].map(Number));
  switch (type) {
    case 'uuid':
      return random.of(ids);
    case 'text':
    case 'character varying':
      return literals.length > 0 ? random.of(literals) : random.of([AWKWARD_TEXT, random.uuid(), ...ids]);
    case 'smallint':
    case 'integer':
      return random.of([1, 2, 3, random.below(10_000), ...numbers.filter((number) => number < 10_000)]);
    case 'bigint':
      return random.of([1, 2, Date.UTC(2026, 0, 1), random.below(2 ** 40), ...numbers]);
    case 'numeric':
    case 'double precision':
    case 'real':
      return random.of([0.1, 45.25, random.below(90)]);
    case 'boolean':
      return random.chance();
    case 'bytea':
      return random.bytes(random.of([32, 64]));
    case 'json':
    case 'jsonb':
      return JSON.stringify({ text: AWKWARD_TEXT, list: [1, null, true] });
    case 'date':
      return '2026-01-02';
    case 'timestamp with time zone':
      return random.of(['2026-01-02T03:04:05.678901Z', 'infinity']);
    case 'inet':
      return '192.0.2.1';
    default:
      throw new Error(`The type ${type} of ${name} is unknown`);
  }
}

/** Random values that depend only on the seed. */
class RandomSource {
  private counter = 0;

  constructor(private readonly seed: string) {}

  bytes(length: number): Buffer {
    const seed = `${this.seed} ${(this.counter += 1)}`;
    return createHash('shake256', { outputLength: length }).update(seed).digest();
  }

  below(limit: number): number {
    return this.bytes(6).readUIntBE(0, 6) % limit;
  }

  chance(): boolean {
    return this.below(2) === 0;
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  uuid(): string {
    const hex = this.bytes(16).toString('hex');
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');
  }
}
