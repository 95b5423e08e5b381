import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Learned locations of access points and cells, without their observers. */
export class Positioning1790000000161 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.witness_salt');
    await runner.query('drop table userctx.radio_network');
  }
}

const STATEMENTS = [
  // The key is a keyed digest of the network's identifier. Degrees are double precision, because they are means and not
  // values that a watch sent. `scatter`: square metres. `blocked_until`: Unix milliseconds. `heard_on`: days since
  // 1970, no finer.
  `create table userctx.radio_network (
    network_key uuid constraint radio_network_pk primary key,
    kind text not null constraint radio_network_kind_check check (kind in ('WIFI', 'CELL', 'AREA')),
    latitude double precision,
    longitude double precision,
    weight double precision,
    scatter double precision,
    learned boolean not null default false,
    witnesses bigint[] not null default '{}',
    strays smallint not null default 0,
    moves smallint not null default 0,
    blocked_until bigint,
    heard_on integer not null,
    constraint radio_network_place_check check (num_nulls(latitude, longitude, weight, scatter) in (0, 4)),
    constraint radio_network_learned_check check (not learned or (latitude is not null and witnesses = '{}'))
  ) with (fillfactor = 70)`,
  'create index radio_network_age on userctx.radio_network (heard_on)',

  // A salt is retained for its day only. Afterwards the pseudonyms of witnesses cannot be resolved.
  `create table userctx.witness_salt (
    day integer constraint witness_salt_pk primary key,
    salt bytea not null
  )`,
];
