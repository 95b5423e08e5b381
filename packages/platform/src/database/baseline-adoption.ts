import { setTimeout as sleep } from 'node:timers/promises';
import { renamedHandlersSql } from '@family-watch/event-bus/event-bus-schema';
import type { QueryRunner } from 'typeorm';
import type { MigrationClass } from './schema-compatibility.js';

/** How a schema that the last build before 1.0.0 has migrated becomes the schema that the baseline creates. */
export interface Adoption {
  /** Name of the last migration that was added to that build. */
  readonly lastMigration: string;
  /** Statements that change the schema, after the renames of constraints and indexes. */
  readonly schemaChanges: readonly string[];
  /** The new names of event handlers, by the names that rows of the event bus have. */
  readonly renamedHandlers: Readonly<Record<string, string>>;
}

/** Returns whether the last build before 1.0.0 has executed these migrations, so that the schema can adopt the baseline. */
export function canAdopt(executed: readonly string[], adoption: Adoption | undefined): boolean {
  return adoption !== undefined && executed.includes(adoption.lastMigration);
}

/**
 * Lets a schema that the last build before 1.0.0 has migrated adopt the baseline: changes the schema, renames the
 * handlers in its rows, and replaces the list of executed migrations. Does nothing for other schemas. Must run in the
 * transaction of the migrations, before them.
 *
 * @param table - qualified and quoted name of the table of executed migrations
 * @param migrations - the migrations of the app; the first one is the baseline
 * @throws Error if an older build has migrated the schema, or if apps use the schema
 */
export async function adoptBaseline(
  runner: QueryRunner,
  { name, schema, table, migrations, adoption }: AdoptionTarget,
): Promise<void> {
  const [baseline] = migrations;
  if (!adoption || !baseline) return;
  const executed = await listExecuted(runner, table);
  if (executed.length === 0 || executed.includes(baseline.name)) return;
  if (!canAdopt(executed, adoption))
    throw new Error(
      `schema ${schema} was migrated by an older build (its last migration is ${executed.at(-1)}). ` +
        `Start the last build before 1.0.0 once, whose last migration is ${adoption.lastMigration}, and then this build`,
    );
  // An app that starts now waits for the list, and then finds that it cannot use the schema.
  await runner.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  await assertUnused(runner, name);
  const renames = (await runner.query(SELECT_RENAMES, [schema])) as { statement: string }[];
  for (const { statement } of renames) await runner.query(statement);
  for (const statement of [...adoption.schemaChanges, ...renamedHandlersSql(schema, adoption.renamedHandlers)])
    await runner.query(statement);
  await runner.query(`DELETE FROM ${table}`);
  const timestamp = /\d+$/.exec(baseline.name)?.[0];
  await runner.query(`INSERT INTO ${table} (timestamp, name) VALUES ($1, $2)`, [timestamp, baseline.name]);
}

/**
 * Raw SQL: returns statements that give constraints the suffixes with which PostgreSQL names them by itself, and take the
 * prefixes from the names of constraints and indexes.
 */
const SELECT_RENAMES = `
  SELECT format('ALTER TABLE %I.%I RENAME CONSTRAINT %I TO %I', $1, relname, conname, renamed) AS statement
    FROM (
      SELECT relname, conname,
             CASE contype WHEN 'p' THEN relname || '_pkey' ELSE
               regexp_replace(regexp_replace(conname, '^(uq|fk|ck)_', ''), '_(unique|key|fk|fkey|check)$', '') ||
               CASE contype WHEN 'u' THEN '_key' WHEN 'f' THEN '_fkey' ELSE '_check' END
             END AS renamed
        FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
       WHERE relnamespace = $1::regnamespace AND NOT relispartition AND relname <> 'migrations'
         AND contype IN ('p', 'u', 'f', 'c')
    ) AS named
   WHERE conname <> renamed
   UNION ALL
  SELECT format('ALTER INDEX %I.%I RENAME TO %I', $1, relname, regexp_replace(relname, '^(ix|uq)_', ''))
    FROM pg_class
   WHERE relnamespace = $1::regnamespace AND relkind IN ('i', 'I') AND relname ~ '^(ix|uq)_'
     AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = pg_class.oid)`;

interface AdoptionTarget {
  /** Name of the app. */
  name: string;
  schema: string;
  table: string;
  migrations: readonly MigrationClass[];
  adoption: Adoption | undefined;
}

async function listExecuted(runner: QueryRunner, table: string): Promise<string[]> {
  const [found] = (await runner.query('SELECT to_regclass($1) AS name', [table])) as { name: string | null }[];
  if (!found?.name) return [];
  const rows = (await runner.query(`SELECT name FROM ${table} ORDER BY timestamp`)) as { name: string }[];
  return rows.map((row) => row.name);
}

/** Number of attempts, one per second: the server ends the connections of a killed process with a delay. */
const ATTEMPTS = 10;

/**
 * An app of the build before would store rows under names that the adoption has changed, and handle events again.
 *
 * @throws Error if processes of the app are connected to the database
 */
async function assertUnused(runner: QueryRunner, app: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    // Within a transaction, the view would show the connections of the first query.
    await runner.query('SELECT pg_stat_clear_snapshot()');
    const connections = (await runner.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 LIMIT 1`,
      [`family-watch:${app}`],
    )) as unknown[];
    if (connections.length === 0) return;
    if (attempt === ATTEMPTS)
      throw new Error(`processes of ${app} use it. Stop all processes of ${app} for this upgrade`);
    await sleep(1_000);
  }
}
