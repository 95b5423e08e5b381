import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A family has exactly one owner at any time: the foreign key requires the owner to be a member with role OWNER, and
 * `family_member_one_owner` allows one such member. A dissolved family has no members; its former owner can own another
 * family.
 */
export class FamilyOwnership1790000000130 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  'alter table userctx.family add column dissolved_at bigint',
  'alter table userctx.family drop constraint family_owner_key',
  'create unique index family_owner_key on userctx.family (owner_user_id) where dissolved_at is null',
  'create index family_dissolved on userctx.family (dissolved_at) where dissolved_at is not null',
  'alter table userctx.family_member add constraint family_member_role_key unique (family_id, user_id, role)',
  `alter table userctx.family add column owner_role smallint
     generated always as (case when dissolved_at is null then 1::smallint end) stored`,
  // The constraint is deferred, because one transaction creates a family and its owner, or replaces the owner.
  `alter table userctx.family add constraint family_owner_is_member
     foreign key (family_id, owner_user_id, owner_role)
     references userctx.family_member (family_id, user_id, role) deferrable initially deferred`,

  // The outcome of a claim is retained as long as the family exists. Times are Unix milliseconds.
  `create table userctx.ownership_claim (
    claim_id uuid constraint ownership_claim_pk primary key,
    family_id uuid not null constraint ownership_claim_family_fk references userctx.family on delete cascade,
    claimant_user_id uuid not null,
    state text not null constraint ownership_claim_state_check
      check (state in ('OPEN', 'REFUSED', 'WITHDRAWN', 'GRANTED')),
    created_at bigint not null,
    deadline bigint not null,
    ended_at bigint,
    ended_by text,
    constraint ownership_claim_end_check check ((state = 'OPEN') = (ended_at is null))
  )`,
  `create unique index ownership_claim_one_open on userctx.ownership_claim (family_id) where state = 'OPEN'`,
  `create index ownership_claim_due on userctx.ownership_claim (deadline) where state = 'OPEN'`,
  'create index ownership_claim_list on userctx.ownership_claim (family_id, created_at, claim_id)',
];

const DOWN = [
  'drop table userctx.ownership_claim',
  'alter table userctx.family drop constraint family_owner_is_member',
  'alter table userctx.family drop column owner_role',
  'alter table userctx.family_member drop constraint family_member_role_key',
  'delete from userctx.family where dissolved_at is not null',
  'drop index userctx.family_owner_key',
  'alter table userctx.family add constraint family_owner_key unique (owner_user_id)',
  'alter table userctx.family drop column dissolved_at',
];
