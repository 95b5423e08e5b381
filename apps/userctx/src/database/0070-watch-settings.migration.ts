import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Settings of children's watches and the watches' acknowledgements. Settings belong to the child, not to the watch.
 * Times are Unix milliseconds.
 */
export class WatchSettings1790000000070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES.toReversed()) await runner.query(`drop table userctx.${table}`);
  }
}

const TABLES = [
  'settings_version',
  'alarm_clock',
  'school_time',
  'school_pause',
  'school_early_exit',
  'stranger_rule',
  'allowed_number',
  'blocked_call',
  'device_settings',
] as const;

const STATEMENTS = [
  // One row per resource that was ever changed, with the watch's newest acknowledgement. The acknowledgement is valid
  // for one binding, which is identified by the watch and the time of binding.
  `create table userctx.settings_version (
    cid uuid not null,
    resource text not null,
    family_id uuid not null,
    version integer not null default 0,
    answered_by bigint,
    answered_in bigint,
    answered_version integer,
    answered_status text,
    answered_reason text,
    applied_version integer,
    constraint settings_version_pk primary key (cid, resource),
    constraint settings_version_resource_check
      check (resource in ('ALARM_CLOCK', 'SCHOOL_DISABLE', 'REJECT_STRANGER', 'DEVICE')),
    constraint settings_version_answer_check check (
      num_nulls(answered_by, answered_in, answered_version, answered_status) in (0, 4)
      and answered_version between 1 and version and applied_version between 1 and answered_version)
  ) with (fillfactor = 70)`,

  `create table userctx.alarm_clock (
    alarm_id uuid constraint alarm_clock_pk primary key,
    cid uuid not null,
    family_id uuid not null,
    hour smallint not null constraint alarm_clock_hour_check check (hour between 0 and 23),
    minute smallint not null constraint alarm_clock_minute_check check (minute between 0 and 59),
    repeat text not null,
    weekdays smallint[] not null,
    skip_dates text[] not null,
    label text not null,
    enabled boolean not null,
    set_at bigint not null,
    created_at bigint not null,
    constraint alarm_clock_repeat_check
      check (repeat in ('ONCE', 'DAILY', 'CUSTOM') and (repeat = 'CUSTOM') = (cardinality(weekdays) > 0))
  )`,
  'create index alarm_clock_child on userctx.alarm_clock (cid)',

  `create table userctx.school_time (
    school_time_id uuid constraint school_time_pk primary key,
    cid uuid not null,
    family_id uuid not null,
    label text not null,
    starts text not null,
    ends text not null,
    weekdays smallint[] not null,
    holidays text[] not null,
    extra_dates text[] not null,
    allow_contacts uuid[] not null,
    enabled boolean not null,
    created_at bigint not null,
    constraint school_time_not_empty check (starts <> ends and cardinality(weekdays) + cardinality(extra_dates) > 0)
  )`,
  'create index school_time_child on userctx.school_time (cid)',

  // The day on which school time is paused, in the child's time zone.
  `create table userctx.school_pause (
    cid uuid constraint school_pause_pk primary key,
    family_id uuid not null,
    paused_on text not null
  )`,

  // Rows are unique by the time on the watch's clock, so that a repeated report is stored once.
  `create table userctx.school_early_exit (
    exit_id uuid constraint school_early_exit_pk primary key,
    cid uuid not null,
    family_id uuid not null,
    did bigint not null,
    time bigint not null,
    school_time_id uuid,
    reported_at bigint not null,
    constraint school_early_exit_once unique (cid, did, time)
  )`,
  'create index school_early_exit_list on userctx.school_early_exit (cid, time desc, exit_id desc)',
  'create index school_early_exit_age on userctx.school_early_exit (reported_at)',

  `create table userctx.stranger_rule (
    cid uuid constraint stranger_rule_pk primary key,
    family_id uuid not null,
    enabled boolean not null
  )`,

  `create table userctx.allowed_number (
    allow_id uuid constraint allowed_number_pk primary key,
    cid uuid not null,
    family_id uuid not null,
    area_code text not null,
    phone_number text not null,
    once boolean not null,
    expires_at bigint not null,
    created_at bigint not null
  )`,
  'create index allowed_number_child on userctx.allowed_number (cid)',
  'create index allowed_number_expiry on userctx.allowed_number (expires_at)',

  `create table userctx.blocked_call (
    call_id uuid constraint blocked_call_pk primary key,
    cid uuid not null,
    family_id uuid not null,
    did bigint not null,
    time bigint not null,
    area_code text,
    phone_number text,
    cause text not null constraint blocked_call_cause_check check (cause in ('STRANGER', 'SCHOOL_TIME')),
    reported_at bigint not null,
    constraint blocked_call_once unique nulls not distinct (cid, did, time, area_code, phone_number)
  )`,
  'create index blocked_call_list on userctx.blocked_call (cid, time desc, call_id desc)',
  'create index blocked_call_age on userctx.blocked_call (reported_at)',

  `create table userctx.device_settings (
    cid uuid constraint device_settings_pk primary key,
    family_id uuid not null,
    location_mode text not null,
    temporary_mode text,
    temporary_until bigint,
    lost boolean not null,
    lost_message text,
    constraint device_settings_temporary_check check (num_nulls(temporary_mode, temporary_until) in (0, 2)),
    constraint device_settings_mode_check
      check (location_mode in ('SAVE', 'NORMAL', 'FOLLOW') and temporary_mode in ('SAVE', 'NORMAL', 'FOLLOW'))
  )`,
];
