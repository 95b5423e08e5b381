import { idempotencySchemaSql } from '@family-watch/platform/idempotency/idempotency-schema';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates further tables for chat: projected cloud contents, receipt progress, and stored idempotent responses. */
export class ChatAround1790000001041 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE gateway.cloud_content (
        content_id text NOT NULL,
        family_id text NOT NULL,
        CONSTRAINT pk_cloud_content PRIMARY KEY (content_id)
      )`);
    // Mailbox sequence number up to which senders of chat messages have received delivery receipts of this principal.
    await queryRunner.query(`
      CREATE TABLE gateway.receipt_cursor (
        principal text NOT NULL,
        delivered bigint NOT NULL,
        CONSTRAINT pk_receipt_cursor PRIMARY KEY (principal)
      ) WITH (fillfactor = 70)`);
    await queryRunner.query(`
      CREATE INDEX ix_chat_message_voice ON gateway.chat_message (time) WHERE kind = 'ChatVoiceMessage'`);
    await queryRunner.query(idempotencySchemaSql('gateway'));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX gateway.ix_chat_message_voice');
    await queryRunner.query('DROP TABLE gateway.idempotency_key, gateway.receipt_cursor, gateway.cloud_content');
  }
}
