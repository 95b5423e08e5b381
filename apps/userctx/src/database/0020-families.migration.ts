import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Families, members, children with their watches, and invitations. */
export class Families1790000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [FAMILY, FAMILY_MEMBER, FAMILY_CHILD, FAMILY_INVITATION, ...INDEXES]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['family_invitation', 'family_child', 'family_member', 'family']) {
      await runner.query(`drop table userctx.${table}`);
    }
  }
}

// A user owns at most one family. The constraint lets only one of two concurrent creations succeed.
const FAMILY = `
  create table userctx.family (
    family_id uuid constraint family_pk primary key,
    owner_user_id uuid not null constraint family_owner_key unique,
    name text not null,
    version integer not null default 0,
    created_at bigint not null
  )`;

const FAMILY_MEMBER = `
  create table userctx.family_member (
    family_id uuid not null constraint family_member_family_fk references userctx.family on delete cascade,
    user_id uuid not null,
    role smallint not null constraint family_member_role_check check (role between 1 and 4),
    permissions text[] not null,
    child_permissions jsonb not null default '{}',
    name text not null,
    area_code text not null,
    phone_number text not null,
    appellation text not null,
    identity_type smallint not null default 0,
    version integer not null default 1,
    joined_at bigint not null,
    constraint family_member_pk primary key (family_id, user_id)
  )`;

const FAMILY_CHILD = `
  create table userctx.family_child (
    cid uuid constraint family_child_pk primary key,
    family_id uuid not null constraint family_child_family_fk references userctx.family on delete cascade,
    did bigint constraint family_child_did_key unique,
    added_at bigint not null
  )`;

const FAMILY_INVITATION = `
  create table userctx.family_invitation (
    invitation_id uuid constraint family_invitation_pk primary key,
    family_id uuid not null constraint family_invitation_family_fk references userctx.family on delete cascade,
    code_digest text not null constraint family_invitation_code_key unique,
    role smallint not null constraint family_invitation_role_check check (role between 2 and 4),
    permissions text[] not null,
    child_permissions jsonb not null default '{}',
    appellation text,
    identity_type smallint not null default 0,
    state text not null default 'PENDING'
      constraint family_invitation_state_check check (state in ('PENDING', 'ACCEPTED', 'CANCELLED')),
    accepted_by uuid,
    created_at bigint not null,
    expires_at bigint not null
  )`;

const INDEXES = [
  'create unique index family_member_one_owner on userctx.family_member (family_id) where role = 1',
  'create index family_member_user on userctx.family_member (user_id)',
  'create index family_child_family on userctx.family_child (family_id)',
  `create index family_invitation_pending on userctx.family_invitation (family_id) where state = 'PENDING'`,
];
