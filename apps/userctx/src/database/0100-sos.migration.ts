import type { MigrationInterface, QueryRunner } from 'typeorm';

/** SOS calls. Times are Unix milliseconds. */
export class Sos1790000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.sos_raise');
    await runner.query('drop table userctx.sos');
  }
}

const STATEMENTS = [
  `create table userctx.sos (
    sos_id uuid constraint sos_pk primary key,
    family_id uuid not null,
    cid uuid not null,
    did bigint not null,
    state text not null constraint sos_state_check
      check (state in ('RAISED', 'NOTIFYING', 'ACKNOWLEDGED', 'RESOLVED')),
    raised_at bigint not null,
    last_raised_at bigint not null,
    location jsonb,
    acknowledged_by text,
    acknowledged_at bigint,
    resolved_by text,
    resolved_at bigint
  )`,
  `create unique index sos_one_active on userctx.sos (cid) where state <> 'RESOLVED'`,
  `create index sos_of_child on userctx.sos (cid, raised_at desc, sos_id desc)`,
  `create index sos_age on userctx.sos (raised_at) where state = 'RESOLVED'`,

  // One row per call, identified by the watch and the time on its clock, so that a repeated call is recognized even
  // after its SOS is resolved.
  `create table userctx.sos_raise (
    did bigint not null,
    time bigint not null,
    sos_id uuid not null,
    constraint sos_raise_pk primary key (did, time),
    constraint sos_raise_sos foreign key (sos_id) references userctx.sos (sos_id) on delete cascade
  )`,
  `create index sos_raise_of_sos on userctx.sos_raise (sos_id)`,
];
