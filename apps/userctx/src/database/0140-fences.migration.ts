import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Fences of children, the state of the fences for each child, and the fence events. */
export class Fences1790000000140 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['fence_event', 'fence_watch', 'fence']) await runner.query(`drop table userctx.${table}`);
  }
}

const STATEMENTS = [
  // Times are Unix milliseconds. Fixes before `active_from`, the time at which the fence was created, moved or enabled,
  // are not evaluated.
  `create table userctx.fence (
    fence_id uuid constraint fence_pk primary key,
    cid uuid not null,
    family_id uuid not null,
    name text not null,
    shape jsonb not null,
    notify jsonb not null,
    dwell integer not null,
    windows jsonb not null,
    enabled boolean not null,
    version integer not null,
    active_from bigint not null,
    created_at bigint not null
  )`,
  'create index fence_child on userctx.fence (cid, created_at, fence_id)',

  // One row per child that has or had fences. `version` increases whenever the child's fences change and invalidates
  // compiled fences. The row stays when the last fence is deleted, so that versions are never reused. `last_time` is
  // the time of the newest evaluated fix.
  `create table userctx.fence_watch (
    cid uuid constraint fence_watch_pk primary key,
    family_id uuid not null,
    version integer not null,
    states json not null,
    last_time bigint,
    next_dwell bigint,
    next_arrival bigint
  ) with (fillfactor = 50)`,
  'create index fence_watch_due on userctx.fence_watch (least(next_dwell, next_arrival))',

  `create table userctx.fence_event (
    fence_event_id uuid constraint fence_event_pk primary key,
    cid uuid not null,
    family_id uuid not null,
    did bigint not null,
    fence_id uuid not null,
    fence_name text not null,
    type text not null,
    time bigint not null,
    late boolean not null,
    recorded_at bigint not null,
    constraint fence_event_type_check check (type in ('ENTERED', 'LEFT', 'DWELLED', 'NOT_ARRIVED', 'LEFT_EARLY'))
  )`,
  'create index fence_event_list on userctx.fence_event (cid, time desc, fence_event_id desc)',
  'create index fence_event_age on userctx.fence_event (recorded_at)',
];
