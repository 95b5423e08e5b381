import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Commands to watches and location requests. Times are Unix milliseconds. */
export class RemoteControl1790000000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.location_ask');
    await runner.query('drop table userctx.remote_command');
  }
}

const STATEMENTS = [
  // `due_at`: when the command expires unless its state changes.
  `create table userctx.remote_command (
    command_id uuid constraint remote_command_pk primary key,
    family_id uuid not null,
    cid uuid not null,
    did bigint not null,
    command text not null constraint remote_command_command_check check (command in ('SHUTDOWN', 'REBOOT', 'FIND')),
    state text not null constraint remote_command_state_check
      check (state in ('QUEUED', 'SENT', 'ACKED', 'DONE', 'REJECTED', 'EXPIRED', 'CANCELLED')),
    by text not null,
    queued_at bigint not null,
    expires_at bigint not null,
    due_at bigint not null,
    changed_at bigint not null,
    reason text
  )`,
  // A watch has at most one command of each kind that it has not begun.
  `create unique index remote_command_one_waiting on userctx.remote_command (did, command)
    where state in ('QUEUED', 'SENT')`,
  `create index remote_command_of_watch on userctx.remote_command (did, queued_at desc, command_id desc)`,
  `create index remote_command_of_child on userctx.remote_command (cid)`,
  `create index remote_command_due on userctx.remote_command (due_at) where state in ('QUEUED', 'SENT', 'ACKED')`,
  `create index remote_command_age on userctx.remote_command (queued_at)`,

  `create table userctx.location_ask (
    ask_id uuid constraint location_ask_pk primary key,
    family_id uuid not null,
    cid uuid not null,
    did bigint not null,
    by text not null,
    state text not null constraint location_ask_state_check check (state in ('ASKED', 'ANSWERED', 'EXPIRED')),
    asked_at bigint not null,
    deadline bigint not null,
    answer jsonb
  )`,
  `create unique index location_ask_one_pending on userctx.location_ask (cid) where state = 'ASKED'`,
  `create index location_ask_of_child on userctx.location_ask (cid)`,
  `create index location_ask_age on userctx.location_ask (asked_at)`,
];
