import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { createEarlierDatabase } from '../support/earlier-database.js';
import { readCatalogue, readObjects, type CatalogueEntry } from '../support/schema-catalogue.js';

const DATABASES = [userctxDatabase, gatewayDatabase, mcdiskDatabase];

/** A new database, and the database of the last build before 1.0.0. */
let created: TestDatabase;
let earlier: TestDatabase;

beforeAll(async () => {
  created = await createTestDatabase();
  earlier = await createEarlierDatabase();
  for (const database of DATABASES)
    for (const target of [created, earlier]) await migrateAppDatabase({ ...database, ...target });
});

afterAll(async () => {
  await created.drop();
  await earlier.drop();
});

const read = (target: TestDatabase, schema: string) =>
  withClient(target.adminUrl, async (client) => ({
    catalogue: await readCatalogue(client, schema),
    objects: await readObjects(client, schema),
    migrations: (await client.query(`SELECT name, apps_must_know FROM ${schema}.migrations ORDER BY id`))
      .rows as unknown,
  }));

/** The order of columns does not matter: all statements name them. */
test.each(DATABASES)(
  'the database of the last build before 1.0.0 gets the schema $name of a new database',
  async ({ schema }) => {
    expect(await read(earlier, schema)).toEqual(await read(created, schema));
  },
);

test.each(DATABASES)('rows of the event bus in $name have names of handlers that exist', async ({ schema }) => {
  const handlers = await withClient(earlier.adminUrl, (client) =>
    client.query<{ handler: string }>(
      ['inbox', 'parked', 'dead_letter'].map((table) => `SELECT handler FROM ${schema}.${table}`).join(' UNION '),
    ),
  );
  const path = join(import.meta.dirname, '../contract/stable-names.json');
  const { eventHandlers } = JSON.parse(readFileSync(path, 'utf8')) as { eventHandlers: Record<string, unknown> };
  expect(handlers.rows.length).toBeGreaterThan(3);
  expect(handlers.rows.filter(({ handler }) => !(handler in eventHandlers))).toEqual([]);
});

test('the tables that have one row contain it in a new database', async () => {
  const counts = await withClient(created.adminUrl, (client) =>
    client.query(
      `SELECT (SELECT count(*)::int FROM userctx.relay) AS userctx, (SELECT count(*)::int FROM mcdisk.relay) AS mcdisk,
              (SELECT count(*)::int FROM gateway.relay) AS gateway, (SELECT count(*)::int FROM gateway.epoch) AS epoch`,
    ),
  );
  expect(counts.rows).toEqual([{ userctx: 1, mcdisk: 1, gateway: 1, epoch: 1 }]);
});

test.each(DATABASES)(
  'constraints of $name end with pkey, key, fkey or check, and no index begins with its kind',
  async ({ schema }) => {
    const { catalogue } = await read(created, schema);
    const [constraints, indexes] = ['constraint', 'index'].map((kind) =>
      catalogue.filter((entry) => entry.kind === kind),
    );
    const suffixes: [RegExp, RegExp][] = [
      [/^PRIMARY KEY/, /_pkey$/],
      [/^UNIQUE/, /_key$/],
      [/^FOREIGN KEY/, /_fkey$/],
      [/^CHECK/, /_check$/],
    ];
    const followsRule = ({ table, name, definition }: CatalogueEntry) =>
      table === 'migrations' || suffixes.some(([kind, suffix]) => kind.test(definition) && suffix.test(name));
    expect(constraints?.filter((entry) => !followsRule(entry))).toEqual([]);
    expect(indexes?.filter(({ name }) => /^(ix|uq|idx)_/.test(name))).toEqual([]);
  },
);
