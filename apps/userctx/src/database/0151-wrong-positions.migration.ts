import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Guardians' reports of wrong location points. */
export class WrongPositions1790000000151 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.location_wrong_report');
  }
}

const STATEMENTS = [
  // The table has no foreign key to points, because points are deleted by partition and these rows slightly later.
  `create table userctx.location_wrong_report (
    did bigint not null,
    position_time bigint not null,
    point_type smallint not null,
    family_id uuid not null,
    cid uuid not null,
    reported_by text not null,
    comment text,
    reported_at bigint not null,
    constraint location_wrong_report_pk primary key (did, position_time, point_type)
  )`,
  'create index location_wrong_report_child on userctx.location_wrong_report (cid)',
  'create index location_wrong_report_age on userctx.location_wrong_report (reported_at)',
];
