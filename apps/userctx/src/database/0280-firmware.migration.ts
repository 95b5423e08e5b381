import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Firmware images, groups of watches, rollouts, and the update of each watch by a rollout. */
export class Firmware1790000000280 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES.toReversed()) await runner.query(`drop table userctx.${table}`);
  }
}

const TABLES = ['firmware_image', 'firmware_group', 'firmware_group_member', 'firmware_rollout', 'firmware_deployment'];

const STATEMENTS = [
  `create table userctx.firmware_image (
    image_id uuid constraint firmware_image_pk primary key,
    model text not null,
    version text not null,
    size bigint not null constraint firmware_image_size_check check (size > 0),
    digest text not null,
    signature bytea not null constraint firmware_image_signature_length check (octet_length(signature) = 64),
    key_id text not null,
    state text not null constraint firmware_image_state_check check (state in ('ANNOUNCED', 'READY', 'WITHDRAWN')),
    created_at bigint not null,
    constraint firmware_image_version_unique unique (model, version)
  )`,

  `create table userctx.firmware_group (
    group_id uuid constraint firmware_group_pk primary key,
    name text not null constraint firmware_group_name_unique unique,
    created_at bigint not null
  )`,

  `create table userctx.firmware_group_member (
    group_id uuid not null constraint firmware_group_member_group_fk
      references userctx.firmware_group on delete cascade,
    did bigint not null constraint firmware_group_member_watch_fk references userctx.watch on delete cascade,
    constraint firmware_group_member_pk primary key (group_id, did)
  )`,
  `create index firmware_group_member_watch on userctx.firmware_group_member (did)`,

  `create table userctx.firmware_rollout (
    rollout_id uuid constraint firmware_rollout_pk primary key,
    image_id uuid not null constraint firmware_rollout_image_fk references userctx.firmware_image,
    group_id uuid constraint firmware_rollout_group_fk references userctx.firmware_group,
    state text not null constraint firmware_rollout_state_check
      check (state in ('SCHEDULED', 'RUNNING', 'PAUSED', 'FINISHED', 'STOPPED')),
    waves integer[] not null,
    current_wave integer not null default 1,
    success_threshold integer not null,
    error_threshold integer not null,
    error_action text not null,
    accepted_errors integer[] not null,
    resumed_at bigint,
    min_battery integer not null,
    requires_charging boolean not null,
    avoids_school_time boolean not null,
    created_at bigint not null,
    start_at bigint,
    changed_at bigint not null,
    constraint firmware_rollout_wave_check check (current_wave between 1 and cardinality(waves))
  )`,
  `create index firmware_rollout_of_image on userctx.firmware_rollout (image_id)`,
  `create index firmware_rollout_of_group on userctx.firmware_rollout (group_id)`,
  `create index firmware_rollout_age on userctx.firmware_rollout (created_at desc, rollout_id desc)`,
  `create index firmware_rollout_active on userctx.firmware_rollout (rollout_id)
    where state in ('SCHEDULED', 'RUNNING')`,

  `create table userctx.firmware_deployment (
    deployment_id uuid constraint firmware_deployment_pk primary key,
    rollout_id uuid not null constraint firmware_deployment_rollout_fk
      references userctx.firmware_rollout on delete cascade,
    did bigint not null constraint firmware_deployment_watch_fk references userctx.watch on delete cascade,
    wave integer not null,
    state text not null constraint firmware_deployment_state_check
      check (state in ('SCHEDULED', 'DOWNLOADING', 'DOWNLOADED', 'INSTALLING', 'SUCCESS', 'FAILED', 'REJECTED')),
    failures integer not null default 0,
    changed_at bigint not null,
    error text,
    constraint firmware_deployment_watch_unique unique (rollout_id, did)
  )`,
  `create index firmware_deployment_counts on userctx.firmware_deployment (rollout_id, wave, state, failures)`,
  `create index firmware_deployment_watch on userctx.firmware_deployment (did)`,
];
