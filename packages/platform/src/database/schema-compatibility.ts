import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { ReadinessProblem } from '../observability/readiness-check.js';

export type MigrationClass = new () => MigrationInterface;

/**
 * A migration that removes or restricts something that older apps use. Every other migration must leave the schema
 * usable for the apps that run while it is applied (docs/decisions/07-schema-compatibility.md).
 */
export interface ContractingMigration extends MigrationInterface {
  /** An app that does not know this migration cannot use the schema any more. */
  readonly appsMustKnow: MigrationClass;
}

/** Column of the table of executed migrations that contains the name of `ContractingMigration.appsMustKnow`. */
const REQUIRED_MIGRATION_COLUMN = 'apps_must_know';

/**
 * Stores for each executed contracting migration which migration an app must know. Must run after the migrations, in
 * the transaction that executes them.
 *
 * @param table - qualified and quoted name of the table of executed migrations
 */
export async function recordContractions(
  runner: QueryRunner,
  table: string,
  migrations: readonly MigrationClass[],
): Promise<void> {
  const [existing] = (await runner.query(
    'SELECT 1 FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2 AND NOT attisdropped',
    [table, REQUIRED_MIGRATION_COLUMN],
  )) as unknown[];
  // ALTER TABLE blocks the readiness checks, which read this table. Therefore ALTER TABLE runs only if the column is
  // missing, and after the migrations.
  if (!existing) await runner.query(`ALTER TABLE ${table} ADD COLUMN ${REQUIRED_MIGRATION_COLUMN} text`);
  for (const migration of migrations) {
    const { appsMustKnow } = new migration() as Partial<ContractingMigration>;
    if (!appsMustKnow) continue;
    await runner.query(
      `UPDATE ${table} SET ${REQUIRED_MIGRATION_COLUMN} = $2
        WHERE name = $1 AND ${REQUIRED_MIGRATION_COLUMN} IS DISTINCT FROM $2`,
      [migration.name, appsMustKnow.name],
    );
  }
}

/**
 * Returns why an app cannot use the schema: it does not contain the app's first migration, or an executed migration
 * requires a migration that the app does not know. Other executed migrations that the app does not know are no problem.
 *
 * @param table - qualified and quoted name of the table of executed migrations
 * @param known - the migrations of the app
 */
export async function findSchemaProblem(
  query: <Row>(sql: string) => Promise<Row[]>,
  { schema, table, known }: { schema: string; table: string; known: readonly MigrationClass[] },
): Promise<ReadinessProblem | undefined> {
  // The column does not exist until a build that has `recordContractions` migrates the schema.
  const rows = await query<{ name: string; required: string | null }>(
    `SELECT name, to_jsonb(executed) ->> '${REQUIRED_MIGRATION_COLUMN}' AS required FROM ${table} executed ORDER BY id`,
  );
  const names = new Set(known.map(({ name }) => name));
  const contraction = rows.find(({ required }) => required !== null && !names.has(required));
  if (!contraction) return findMissingBaseline(schema, known, rows);
  const newestKnown = known.at(-1)?.name ?? 'none';
  return {
    message:
      `Migration ${contraction.name} of schema ${schema} requires an app that knows migration ` +
      `${contraction.required}; the newest migration that this app knows is ${newestKnown}. Start a newer build.`,
    fields: { schema, migration: contraction.name, requiredMigration: contraction.required, newestKnown },
  };
}

/** A schema without the app's first migration has rows under names that the app does not know. */
function findMissingBaseline(
  schema: string,
  [baseline]: readonly MigrationClass[],
  executed: readonly { name: string }[],
): ReadinessProblem | undefined {
  if (!baseline || executed.some(({ name }) => name === baseline.name)) return undefined;
  return {
    logMessage: 'The database schema is not migrated',
    message: `Schema ${schema} is not migrated to ${baseline.name}. Run the migrations of this build.`,
    fields: { schema, baseline: baseline.name },
  };
}
