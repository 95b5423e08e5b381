import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Watches, keys, bindings and last reported status. Times are Unix milliseconds. */
export class Watches1790000000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES.toReversed()) await runner.query(`drop table userctx.${table}`);
  }
}

const TABLES = [
  'watch',
  'watch_binding',
  'bind_code',
  'used_nonce',
  'enrolment_list_entry',
  'watch_status',
  'step_day',
] as const;

const STATEMENTS = [
  `create table userctx.watch (
    did bigint not null,
    public_key bytea not null,
    imei text not null,
    model text not null,
    firmware_version text not null,
    enrolled_at bigint not null,
    last_contact_at bigint not null,
    revoked_at bigint,
    constraint watch_pk primary key (did),
    constraint watch_did_range check (did between 1 and 9007199254740991),
    constraint watch_public_key_length check (octet_length(public_key) = 32),
    constraint watch_public_key_unique unique (public_key)
  )`,
  `create index watch_last_contact on userctx.watch (last_contact_at)`,

  // One row per binding. The three partial unique indexes guarantee for concurrent bindings that a watch has one child,
  // a child has one watch, and one bound watch uses an IMEI.
  `create table userctx.watch_binding (
    binding_id uuid not null,
    did bigint not null,
    cid uuid not null,
    family_id uuid not null,
    imei text not null,
    bound_at bigint not null,
    unbound_at bigint,
    constraint watch_binding_pk primary key (binding_id),
    constraint watch_binding_watch foreign key (did) references userctx.watch (did) on delete cascade,
    constraint watch_binding_period check (unbound_at is null or unbound_at >= bound_at)
  )`,
  `create unique index watch_binding_one_child on userctx.watch_binding (did) where unbound_at is null`,
  `create unique index watch_binding_one_watch on userctx.watch_binding (cid) where unbound_at is null`,
  `create unique index watch_binding_one_imei on userctx.watch_binding (imei) where unbound_at is null`,
  `create index watch_binding_of_watch on userctx.watch_binding (did, bound_at)`,

  // The table contains only digests, so that a person who reads it cannot bind a watch. One row per watch: a new code
  // replaces the old one.
  `create table userctx.bind_code (
    did bigint not null,
    code_digest bytea not null,
    confirm_digest bytea not null,
    expires_at bigint not null,
    tries smallint not null default 0,
    constraint bind_code_pk primary key (did),
    constraint bind_code_watch foreign key (did) references userctx.watch (did) on delete cascade,
    constraint bind_code_digest_unique unique (code_digest)
  )`,

  // Nonces are stateless. Only used ones are stored, until they would have expired.
  `create table userctx.used_nonce (
    nonce bytea not null,
    expires_at bigint not null,
    constraint used_nonce_pk primary key (nonce)
  )`,
  `create index used_nonce_expires on userctx.used_nonce (expires_at)`,

  `create table userctx.enrolment_list_entry (
    imei text not null,
    maker_key bytea not null,
    listed_at bigint not null,
    constraint enrolment_list_entry_pk primary key (imei),
    constraint enrolment_list_entry_key_length check (octet_length(maker_key) = 32)
  )`,

  // Null means unknown. The status has its own table, because it changes more often than the watch.
  `create table userctx.watch_status (
    did bigint not null,
    battery integer,
    charging boolean,
    worn boolean,
    signal integer,
    signal_max integer,
    step_total bigint,
    steps_at bigint,
    firmware_version text,
    reported_at bigint,
    last_seen bigint not null,
    constraint watch_status_pk primary key (did),
    constraint watch_status_watch foreign key (did) references userctx.watch (did) on delete cascade
  ) with (fillfactor = 70)`,

  // Steps of a child per day in the child's time zone.
  `create table userctx.step_day (
    cid uuid not null,
    day date not null,
    steps integer not null,
    constraint step_day_pk primary key (cid, day)
  ) with (fillfactor = 70)`,
];
