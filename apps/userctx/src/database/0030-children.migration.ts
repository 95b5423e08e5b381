import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Profiles of children (specification 2.5). A deleted child is retained for seven days. */
export class Children1790000000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHILD);
    await runner.query('create index child_family on userctx.child (family_id)');
    await runner.query('create index child_deleted on userctx.child (deleted_at) where deleted_at is not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.child');
  }
}

const CHILD = `
  create table userctx.child (
    cid uuid constraint child_pk primary key,
    family_id uuid not null,
    name text not null,
    phone_number text not null,
    area_code text not null,
    avatar text,
    birthday text,
    appellation text not null,
    gender smallint not null constraint child_gender_check check (gender in (0, 2, 3)),
    weight smallint not null constraint child_weight_check check (weight between 100 and 200),
    height smallint not null constraint child_height_check check (height between 100 and 200),
    time_zone text not null,
    created_at bigint not null,
    deleted_at bigint
  )`;
