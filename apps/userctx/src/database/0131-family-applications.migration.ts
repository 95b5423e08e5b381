import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Join requests and the family codes that watches show. Times are Unix milliseconds. */
export class FamilyApplications1790000000131 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.family_application');
    await runner.query('drop table userctx.family_code');
  }
}

const UP = [
  // The table contains only digests of codes. The code of a watch that has since been bound to another child is
  // invalid.
  `create table userctx.family_code (
    did bigint constraint family_code_pk primary key,
    cid uuid not null,
    family_id uuid not null,
    code_digest bytea not null constraint family_code_digest_unique unique,
    expires_at bigint not null,
    constraint family_code_watch foreign key (did) references userctx.watch (did) on delete cascade
  )`,
  'create index family_code_expires on userctx.family_code (expires_at)',

  // One row per family and person, so that a rejection is retained over further requests.
  `create table userctx.family_application (
    application_id uuid constraint family_application_pk primary key,
    family_id uuid not null constraint family_application_family_fk references userctx.family on delete cascade,
    applicant_user_id uuid not null,
    state text not null constraint family_application_state_check
      check (state in ('PENDING', 'APPROVED', 'REJECTED', 'CANCELLED', 'EXPIRED')),
    cid uuid,
    did bigint,
    invitation_id uuid,
    name text not null,
    area_code text not null,
    phone_number text not null,
    appellation text not null,
    identity_type smallint not null,
    created_at bigint not null,
    expires_at bigint not null,
    changed_at bigint not null,
    constraint family_application_once unique (family_id, applicant_user_id)
  )`,
  `create index family_application_due on userctx.family_application (expires_at) where state = 'PENDING'`,
  'create index family_application_list on userctx.family_application (family_id, created_at, application_id)',
  'create index family_application_own on userctx.family_application (applicant_user_id, created_at, application_id)',
  'create index family_application_child on userctx.family_application (cid) where cid is not null',
  `create index family_application_over on userctx.family_application (changed_at)
     where state in ('APPROVED', 'CANCELLED', 'EXPIRED')`,
];
