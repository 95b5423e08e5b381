import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Locations of children: all points in a table partitioned by day, and each child's last location. */
export class Locations1790000000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.child_location');
    await runner.query('drop table userctx.location_point');
  }
}

const STATEMENTS = [
  // Times are Unix milliseconds, radius is in metres. `numeric` preserves the degrees as the watch sent them. Flags are
  // bits (see point-flag-bits.ts). The key makes inserts idempotent: a watch has one fix of a type at any time.
  `create table userctx.location_point (
    did bigint not null,
    position_time bigint not null,
    point_type smallint not null,
    cid uuid not null,
    latitude numeric not null,
    longitude numeric not null,
    radius integer not null,
    flags smallint not null,
    received_at bigint not null,
    constraint location_point_pk primary key (did, position_time, point_type),
    constraint location_point_latitude check (latitude between -90 and 90),
    constraint location_point_longitude check (longitude between -180 and 180)
  ) partition by range (position_time)`,
  `create index location_point_track on userctx.location_point (cid, position_time, point_type, did)`,
  // Contains the points of days without a partition: future days whose partition is not created yet, and wrong days
  // reported by watches with a wrong clock.
  `create table userctx.location_point_default partition of userctx.location_point default`,

  `create table userctx.child_location (
    cid uuid not null,
    did bigint not null,
    position_time bigint not null,
    point_type smallint not null,
    latitude numeric not null,
    longitude numeric not null,
    radius integer not null,
    flags smallint not null,
    received_at bigint not null,
    constraint child_location_pk primary key (cid)
  ) with (fillfactor = 70)`,
];
