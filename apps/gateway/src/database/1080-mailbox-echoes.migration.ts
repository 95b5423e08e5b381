import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a person sends from one session goes to the person's other sessions: the first one is left out. */
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
