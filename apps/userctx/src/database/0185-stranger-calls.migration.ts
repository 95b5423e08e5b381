import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores allowed calls too, so that a repeated report does not use another allowance. */
export class StrangerCalls1790000000185 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table userctx.blocked_call add column outcome text not null default 'BLOCKED'
         constraint blocked_call_outcome_check check (outcome in ('BLOCKED', 'ALLOWED'))`,
    );
    await runner.query('drop index userctx.blocked_call_list');
    await runner.query(
      `create index blocked_call_list on userctx.blocked_call (cid, time desc, call_id desc) where outcome = 'BLOCKED'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from userctx.blocked_call where outcome <> 'BLOCKED'`);
    await runner.query('drop index userctx.blocked_call_list');
    await runner.query('alter table userctx.blocked_call drop column outcome');
    await runner.query('create index blocked_call_list on userctx.blocked_call (cid, time desc, call_id desc)');
  }
}
