import { describe, expect, test } from '@jest/globals';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import type { ContractingMigration, MigrationClass } from '@family-watch/platform/database/schema-compatibility';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { findContractions } from '../support/find-contractions.js';

/** Migrations with a statement that looks like a contraction but that older apps do not notice, with the reason. */
const HARMLESS_MIGRATIONS: Readonly<Record<string, string>> = {};

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

describe.each([userctxDatabase, gatewayDatabase, mcdiskDatabase])('migrations of $name', ({ migrations }) => {
  test('a migration that removes or restricts a table or column declares which migration apps must know', async () => {
    const undeclared: string[] = [];
    for (const migration of migrations) {
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
  test.each([
    [
      'alter column cloud_id set not null',
      [
        'ALTER TABLE mcdisk.rendition ADD COLUMN cloud_id text',
        'UPDATE mcdisk.rendition r SET cloud_id = s.cloud_id FROM mcdisk.blob s WHERE s.blob_key = r.source_key',
        'ALTER TABLE mcdisk.rendition ALTER COLUMN cloud_id SET NOT NULL',
        "CREATE INDEX rendition_turn ON mcdisk.rendition (cloud_id, due_at) WHERE state = 'WAITING'",
      ],
    ],
    [
      'alter column taken_at set not null',
      [
        'ALTER TABLE mcdisk.album_content ADD COLUMN cid text, ADD COLUMN taken_at bigint',
        'ALTER TABLE mcdisk.album_content ALTER COLUMN taken_at SET NOT NULL',
      ],
    ],
    [
      'drop column source_event',
      [
        'DROP INDEX gateway.ix_mailbox_message_id',
        'ALTER TABLE gateway.mailbox_message DROP COLUMN source_event',
        'CREATE INDEX ix_mailbox_message_time ON gateway.mailbox_message USING brin (time)',
      ],
    ],
  ])('finds %s, with which a migration broke older builds', (expected, statements) => {
    expect(findContractions(statements)).toContain(expected);
  });

  test.each([
    [
      [
        'ALTER TABLE gateway.mailbox_message ADD COLUMN except_session text',
        'CREATE INDEX ix_session_cursor_principal ON gateway.session_cursor (principal, session)',
      ],
    ],
    [['ALTER TABLE mcdisk.blob ADD COLUMN removals smallint NOT NULL DEFAULT 0,\n ADD COLUMN removal_after bigint']],
    [
      [
        'alter table a.dead_letter\n alter column event_id drop not null, alter column event drop not null, add column raw bytea',
        'create index dead_letter_key on a.dead_letter (handler, key)',
      ],
    ],
  ])('finds no contraction in a migration that removes and restricts nothing: %s', (statements) => {
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
