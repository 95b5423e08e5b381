import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Friendships of children and friend codes. Times are Unix milliseconds. */
export class Friends1790000000080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.friendship');
    await runner.query('drop table userctx.friend_code');
  }
}

const STATEMENTS = [
  // The table contains only digests, so that a person who reads it cannot request friendships. One row per watch: a new
  // code replaces the old one.
  `create table userctx.friend_code (
    did bigint constraint friend_code_pk primary key,
    code_digest bytea not null constraint friend_code_digest_unique unique,
    expires_at bigint not null,
    constraint friend_code_watch foreign key (did) references userctx.watch (did) on delete cascade
  )`,
  `create index friend_code_expires on userctx.friend_code (expires_at)`,

  // One row per pair of children, the smaller cid first. The row is retained as long as both children exist, so that a
  // block remains effective.
  `create table userctx.friendship (
    friendship_id uuid constraint friendship_pk primary key,
    cid_a uuid not null,
    cid_b uuid not null,
    family_a uuid not null,
    family_b uuid not null,
    state text not null constraint friendship_state_check
      check (state in ('APPLIED', 'CONFIRMED', 'ACCEPTED', 'REJECTED', 'ENDED')),
    applicant text not null constraint friendship_applicant_check check (applicant in ('A', 'B')),
    applicant_did bigint not null,
    kept_out_by_a boolean not null,
    kept_out_by_b boolean not null,
    version integer not null,
    changed_at bigint not null,
    constraint friendship_pair_unique unique (cid_a, cid_b),
    constraint friendship_pair_order check (cid_a < cid_b)
  )`,
  `create index friendship_of_b on userctx.friendship (cid_b)`,
];
