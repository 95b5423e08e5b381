import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Escalation of SOS calls to one contact after the other until a person acknowledges. Times are Unix milliseconds. */
export class SosEscalation1790000000170 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN_STATEMENTS) await runner.query(statement);
  }
}

const STATEMENTS = [
  // When the next step is due; null once a person has acknowledged.
  `alter table userctx.sos add column next_step_at bigint`,
  `create index sos_due on userctx.sos (next_step_at) where next_step_at is not null`,
  // Unacknowledged calls of the last day are escalated immediately. Older calls are not escalated; they wait for a
  // member to acknowledge or resolve them.
  `update userctx.sos set next_step_at = (extract(epoch from now()) * 1000)::bigint
    where state in ('RAISED', 'NOTIFYING') and last_raised_at > (extract(epoch from now()) * 1000)::bigint - 86400000`,

  // Notifications with time and channel. A row without `ref_id` is a notification to everyone with the permission.
  `create table userctx.sos_step (
    sos_id uuid not null,
    step integer not null,
    channel text not null constraint sos_step_channel_check check (channel in ('APP', 'SMS')),
    at bigint not null,
    ref_id uuid,
    user_id uuid,
    constraint sos_step_pk primary key (sos_id, step, channel),
    constraint sos_step_sos foreign key (sos_id) references userctx.sos (sos_id) on delete cascade
  )`,
  // Each contact is notified once in turn; after the last one all are notified together.
  `create unique index sos_step_one_turn on userctx.sos_step (sos_id, ref_id) where channel = 'SMS' and ref_id is not null`,

  // The table is replaced, because alerts are now addressed to contacts, who need not have an account. The dropped rows
  // were due within seconds.
  `drop table userctx.alert_sms`,
  `create table userctx.alert_sms (
    alert_id uuid constraint alert_sms_pk primary key,
    family_id uuid not null,
    cid uuid not null,
    ref_id uuid not null,
    about uuid not null,
    category text not null,
    time bigint not null,
    queued_at bigint not null,
    due_at bigint not null,
    attempts smallint not null default 0
  )`,
  `create index alert_sms_due on userctx.alert_sms (due_at)`,
  `create index alert_sms_about on userctx.alert_sms (about)`,
];

const DOWN_STATEMENTS = [
  `drop table userctx.alert_sms`,
  `create table userctx.alert_sms (
    user_id uuid not null,
    message_id uuid not null,
    category text not null,
    time bigint not null,
    due_at bigint,
    attempts smallint not null default 0,
    constraint pk_alert_sms primary key (user_id, message_id)
  )`,
  `create index ix_alert_sms_due on userctx.alert_sms (due_at) where due_at is not null`,
  `drop table userctx.sos_step`,
  `drop index userctx.sos_due`,
  `alter table userctx.sos drop column next_step_at`,
];
