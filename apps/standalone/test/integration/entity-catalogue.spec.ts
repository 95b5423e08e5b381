import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import type { DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { DataSource } from 'typeorm';
import { readCatalogue, type CatalogueEntry } from '../support/schema-catalogue.js';

const DATABASES = [userctxDatabase, gatewayDatabase, mcdiskDatabase];

/** TypeORM's own tables. */
const TABLES_WITHOUT_ENTITY = ['migrations', 'typeorm_metadata'];

/** Parts of tables that TypeORM's decorators cannot express: `kind table.name`, and the reason. */
const PARTS_WITHOUT_DECORATOR: Readonly<Record<string, string>> = {
  'index outbox.outbox_unconfirmed_name': 'only userctx publishes snapshots',
  'column album_count.cid': 'TypeORM requires a primary key, whose columns cannot be null',
  'constraint album_count.album_count_key': 'a unique constraint with NULLS NOT DISTINCT',
  'constraint blocked_call.blocked_call_once_key': '@Unique has no option for NULLS NOT DISTINCT',
};

/** The first database is created by the migrations, the second by TypeORM from the entities. */
let migrated: TestDatabase;
let synchronized: TestDatabase;

beforeAll(async () => {
  migrated = await createTestDatabase({ template: DATABASES });
  synchronized = await createTestDatabase();
});

afterAll(async () => {
  await migrated.drop();
  await synchronized.drop();
});

async function createFromEntities({ schema, entities }: DatabaseDeclaration): Promise<Set<string>> {
  await withClient(synchronized.migrationUrl, (client) =>
    client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`),
  );
  const dataSource = new DataSource({
    type: 'postgres',
    schema,
    entities: [...entities],
    installExtensions: false,
    extra: { connectionString: synchronized.migrationUrl },
  });
  await dataSource.initialize();
  await dataSource.synchronize();
  const indices = dataSource.entityMetadatas.flatMap(({ tableName, indices }) =>
    indices.filter(({ synchronize }) => !synchronize).map(({ name }) => `index ${tableName}.${name}`),
  );
  await dataSource.destroy();
  const entries = await withClient(synchronized.migrationUrl, (client) => readCatalogue(client, schema));
  return new Set([...entries.filter(isComparable).map(toText), ...indices]);
}

/**
 * Returns the entries that only the migrated schema has, and the entries that only the entities have.
 *
 * @param change - statement that changes the migrated schema for this comparison only
 */
async function findDifferences(schema: string, expected: ReadonlySet<string>, change = 'SELECT 1'): Promise<string[]> {
  const entries = await withClient(migrated.migrationUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(change);
    return readCatalogue(client, schema);
  });
  // An index that TypeORM does not create is defined only in its migration.
  const actual = new Set(
    entries
      .filter(isComparable)
      .map((entry) => (expected.has(toIdentifier(entry)) ? toIdentifier(entry) : toText(entry))),
  );
  return [
    ...[...actual].filter((entry) => !expected.has(entry)).map((entry) => `only migrations: ${entry}`),
    ...[...expected].filter((entry) => !actual.has(entry)).map((entry) => `only entities: ${entry}`),
  ];
}

function isComparable(entry: CatalogueEntry): boolean {
  return !TABLES_WITHOUT_ENTITY.includes(entry.table) && !(toIdentifier(entry) in PARTS_WITHOUT_DECORATOR);
}

function toIdentifier({ kind, table, name }: CatalogueEntry): string {
  return `${kind} ${table}.${name}`;
}

function toText(entry: CatalogueEntry): string {
  return `${toIdentifier(entry)}: ${entry.definition}`;
}

test.each(DATABASES)('the entities of $name describe every table as the migrations create it', async (database) => {
  expect(await findDifferences(database.schema, await createFromEntities(database))).toEqual([]);
});

describe('the comparison of tables and entities', () => {
  let expected: Set<string>;

  beforeAll(async () => {
    expected = await createFromEntities(userctxDatabase);
  });

  test.each([
    ['an additional table', 'CREATE TABLE userctx.planted (id uuid PRIMARY KEY)'],
    ['an additional column', 'ALTER TABLE userctx.contact ADD COLUMN planted text'],
    ['a missing column', 'ALTER TABLE userctx.contact DROP COLUMN sos_order CASCADE'],
    ['another type', 'ALTER TABLE userctx.alarm_clock ALTER COLUMN hour TYPE integer'],
    ['another nullability', 'ALTER TABLE userctx.contact ALTER COLUMN created_at DROP NOT NULL'],
    ['another default', 'ALTER TABLE userctx.bind_code ALTER COLUMN tries SET DEFAULT 1'],
    ['a missing key', 'ALTER TABLE userctx.watch_status DROP CONSTRAINT watch_status_pkey'],
    ['a missing unique constraint', 'ALTER TABLE userctx.watch DROP CONSTRAINT watch_public_key_key'],
    [
      'a weaker check',
      'ALTER TABLE userctx.watch DROP CONSTRAINT watch_did_range_check, ADD CONSTRAINT watch_did_range_check CHECK (did > 0)',
    ],
    ['a missing index', 'DROP INDEX userctx.watch_binding_of_watch'],
    ['a missing index that only a migration defines', 'DROP INDEX userctx.sos_of_child'],
    [
      'an index without its condition',
      'DROP INDEX userctx.sos_due; CREATE INDEX sos_due ON userctx.sos (next_step_at)',
    ],
    [
      'a foreign key without cascade',
      'ALTER TABLE userctx.sos_step DROP CONSTRAINT sos_step_sos_fkey, ADD CONSTRAINT sos_step_sos_fkey FOREIGN KEY (sos_id) REFERENCES userctx.sos',
    ],
  ])('finds %s', async (_description, change) => {
    const before = await findDifferences('userctx', expected);
    expect(await findDifferences('userctx', expected, change)).not.toEqual(before);
  });
});
