import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores what became of each SMS, and which provider does not send an alert again. The previous version of the app
 * inserts alerts without `avoided_provider` and stores no messages.
 */
export class SmsMessages1790000000270 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table userctx.sms_message (
        message_id uuid not null,
        provider text not null,
        scene text not null,
        area_code text not null,
        state text not null,
        provider_message_id text,
        error_code text,
        cid uuid,
        alert jsonb,
        created_at bigint not null,
        updated_at bigint not null,
        constraint sms_message_pkey primary key (message_id),
        constraint sms_message_state_check check (
          state in ('SENDING', 'ACCEPTED', 'REJECTED', 'REFUSED', 'UNAVAILABLE', 'DELIVERED', 'UNDELIVERED'))
      )`);
    await runner.query('create index sms_message_age on userctx.sms_message (created_at)');
    await runner.query(`create index sms_message_at_provider on userctx.sms_message (provider, provider_message_id)
      where provider_message_id is not null`);
    await runner.query('create index sms_message_of_child on userctx.sms_message (cid) where cid is not null');
    await runner.query('alter table userctx.alert_sms add column avoided_provider text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table userctx.alert_sms drop column avoided_provider');
    await runner.query('drop table userctx.sms_message');
  }
}
