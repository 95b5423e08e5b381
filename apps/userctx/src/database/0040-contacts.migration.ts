import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contact lists of children. Each list has one version for all its contacts. */
export class Contacts1790000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [CONTACT_LIST, CONTACT, ...INDEXES]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.contact');
    await runner.query('drop table userctx.contact_list');
  }
}

const CONTACT_LIST = `
  create table userctx.contact_list (
    cid uuid constraint contact_list_pk primary key,
    family_id uuid not null,
    version integer not null default 0
  )`;

const CONTACT = `
  create table userctx.contact (
    ref_id uuid constraint contact_pk primary key,
    cid uuid not null constraint contact_list_fk references userctx.contact_list on delete cascade,
    family_id uuid not null,
    user_id uuid,
    name text not null,
    phone_number text not null,
    area_code text not null,
    appellation text not null,
    identity_type smallint not null constraint contact_identity_type_check check (identity_type between 0 and 6),
    role smallint not null constraint contact_role_check check (role between 1 and 4),
    sos_order smallint not null,
    can_call boolean not null,
    can_chat boolean not null,
    can_video boolean not null,
    school_allowed boolean not null,
    created_at bigint not null,
    constraint contact_owner_has_account check (role <> 1 or user_id is not null)
  )`;

const INDEXES = [
  'create index contact_child on userctx.contact (cid, sos_order)',
  'create unique index contact_member_key on userctx.contact (cid, user_id) where user_id is not null',
  'create unique index contact_one_owner on userctx.contact (cid) where role = 1',
];
