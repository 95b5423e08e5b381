import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Public links that show a child's location. */
export class LocationShares1790000000152 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.location_share');
  }
}

const STATEMENTS = [
  // The row of an ended share is deleted, so that no data of the share is retained.
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
