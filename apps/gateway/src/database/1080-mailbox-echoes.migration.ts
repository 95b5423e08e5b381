import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a message exclude the session it was sent from, so it is delivered only to the sender's other sessions. */
export class MailboxEchoes1790000001080 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE gateway.mailbox_message ADD COLUMN except_session text');
    await queryRunner.query('CREATE INDEX ix_session_cursor_principal ON gateway.session_cursor (principal, session)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX gateway.ix_session_cursor_principal');
    await queryRunner.query('ALTER TABLE gateway.mailbox_message DROP COLUMN except_session');
  }
}
