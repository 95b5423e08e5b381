import { describe, expect, test } from '@jest/globals';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import type { ContractingMigration, MigrationClass } from '@family-watch/platform/database/schema-compatibility';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { findContractions } from '../support/find-contractions.js';

/**
 * The last migration of each schema before migrations had to declare which migration apps must know. Every build that
 * reads these declarations knows the older migrations, so older contractions need no declaration.
 */
const LAST_MIGRATION_BEFORE_DECLARATIONS: Readonly<Record<string, string>> = {
  userctx: 'PublishedFriendships1790000000220',
  gateway: 'CloudContentFamily1790000001120',
  mcdisk: 'DeadLetterRecovery1790000002160',
};

/** Migrations with a statement that looks like a contraction but that older apps do not notice, with the reason. */
const HARMLESS_MIGRATIONS: Readonly<Record<string, string>> = {
  NetworkContradictions1790000000230: 'replaces a check of learned networks by one that accepts more rows',
  MailboxChatEntries1790000001170:
    'a view with triggers has the old name of the renamed table; mailbox-chat-entries-migration.spec.ts tests both builds',
  TimeZones1790000000400: 'its triggers replace only names of time zones, by names that older apps accept',
  TimeZones1790000001190: 'its trigger replaces only names of time zones, by names that older apps accept',
  WatchPreferences1790000000324: 'its checks concern only the columns that it adds',
};

type QueryRunner = Parameters<InstanceType<MigrationClass>['up']>[0];

/** Returns the statements that a migration runs; its queries return no rows. */
async function statementsOf(migration: MigrationClass): Promise<string[]> {
  const statements: string[] = [];
  const query = (sql: string) => {
    statements.push(sql);
    return Promise.resolve([]);
  };
  await new migration().up({ query } as unknown as QueryRunner);
  return statements;
}

const requirementOf = (migration: MigrationClass) => (new migration() as Partial<ContractingMigration>).appsMustKnow;

describe.each([userctxDatabase, gatewayDatabase, mcdiskDatabase])('migrations of $name', ({ name, migrations }) => {
  const checkedMigrations = migrations.slice(
    migrations.findIndex((each) => each.name === LAST_MIGRATION_BEFORE_DECLARATIONS[name]) + 1,
  );

  test('a migration that removes or restricts a table or column declares which migration apps must know', async () => {
    expect(checkedMigrations.length).toBeLessThan(migrations.length);
    const undeclared: string[] = [];
    for (const migration of checkedMigrations) {
      if (requirementOf(migration) || migration.name in HARMLESS_MIGRATIONS) continue;
      const found = findContractions(await statementsOf(migration));
      undeclared.push(...found.map((statement) => `${migration.name}: ${statement}`));
    }
    expect(undeclared).toEqual([]);
  });

  test('a required migration is part of the schema and not newer than the migration that requires it', () => {
    for (const [index, migration] of migrations.entries()) {
      const required = requirementOf(migration);
      if (required) expect(migrations.slice(0, index + 1)).toContain(required);
    }
  });

  test('the statements of every migration can be read without a database', async () => {
    for (const migration of migrations) expect((await statementsOf(migration)).length).toBeGreaterThan(0);
  });
});

describe('findContractions', () => {
  const statementsByName = async (name: string): Promise<string[]> => {
    const migration = [...gatewayDatabase.migrations, ...mcdiskDatabase.migrations].find((each) => each.name === name);
    return migration ? statementsOf(migration) : [];
  };

  test.each([
    ['RenditionTurns1790000002121', 'alter column cloud_id set not null'],
    ['AlbumOrder1790000002120', 'alter column taken_at set not null'],
    ['MailboxKeys1790000001081', 'drop column source_event'],
  ])('finds the contraction that broke older builds in %s', async (name, expected) => {
    expect(findContractions(await statementsByName(name))).toContain(expected);
  });

  test.each([
    'MailboxEchoes1790000001080',
    'CloudContentFamily1790000001120',
    'RefusedRemovals1790000002122',
    'DeadLetterRecovery1790000002160',
  ])('finds no contraction in %s, which removes and restricts nothing', async (name) => {
    const statements = await statementsByName(name);
    expect(statements).not.toEqual([]);
    expect(findContractions(statements)).toEqual([]);
  });

  test.each([
    'drop table a.t',
    'DROP TABLE IF EXISTS a.t, a.u',
    'drop view a.v',
    'drop function a.f()',
    'drop schema a',
    'alter table a.t drop column c',
    'alter table a.t drop c',
    'alter table a.t add column d int, drop column c',
    'alter table a.t rename column c to d',
    'alter table a.t rename to u',
    'alter index a.i rename to j',
    'alter table a.t alter column c set not null',
    'alter table a.t alter c drop default',
    'alter table a.t alter column c type bigint using c::bigint',
    'alter table a.t add column c text not null',
    "alter table a.t add column c text check (c in ('a', 'b'))",
    'alter table a.t add constraint x check (c > 0)',
    'alter table a.t add constraint x unique (c)',
    'alter table a.t add unique (c)',
    'alter table a.t add constraint x foreign key (c) references a.u',
    'alter table a.t drop constraint x',
    'create unique index i on a.t (c)',
    'create trigger x before insert on a.t for each row execute function a.f()',
    'alter table a.t set schema b',
    'do $$ begin execute $q$drop table a.t$q$; end $$',
    '-- a comment\n drop table a.t',
    'create index i on a.t (c); drop table a.u',
  ])('finds a contraction in: %s', (statement) => {
    expect(findContractions([statement])).toHaveLength(1);
  });

  test.each([
    'create table a.t (c text not null unique)',
    'alter table a.t add column c text',
    "alter table a.t add column c text not null default 'x, y'",
    'alter table a.t add c int generated always as identity',
    'alter table a.t alter column c drop not null',
    'alter table a.t alter column c set default 3',
    'create index i on a.t (c)',
    'drop index a.i',
    "update a.t set c = 'drop table a.t'",
    "comment on table a.t is 'drop column c'",
    'create function a.f() returns int language sql as $$ select 1 $$',
  ])('finds no contraction in: %s', (statement) => {
    expect(findContractions([statement])).toEqual([]);
  });

  test('accepts any change to a table that the same migration creates', () => {
    const create = 'CREATE TABLE a.t (c text)';
    expect(findContractions([create, 'alter table a.t add unique (c)', 'create unique index i on a.t (c)'])).toEqual(
      [],
    );
    expect(findContractions([create, 'create unique index i on a.other (c)'])).toHaveLength(1);
  });
});
