import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links by which somebody outside the family sees where a child is. */
export class LocationShares1790000000152 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.location_share');
  }
}

const STATEMENTS = [
  // A link that has ended has no row: nothing of it is needed any more.
  `create table userctx.location_share (
    share_id uuid not null,
    family_id uuid not null,
    cid uuid not null,
    token_digest bytea not null,
    created_by uuid not null,
    title text,
    created_at bigint not null,
    expires_at bigint not null,
    constraint location_share_pk primary key (share_id),
    constraint location_share_token_key unique (token_digest)
  )`,
  'create index location_share_family on userctx.location_share (family_id, cid)',
  'create index location_share_expiry on userctx.location_share (expires_at)',
];
