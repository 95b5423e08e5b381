import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Reduces the indexes of the most written table. A message id is derived from the source of the message, so a key of
 * recipient and message id is sufficient to detect duplicates. Principals are compared bytewise. Retention reads rows
 * by age, and rows are written in this order, so a block range (BRIN) index is sufficient.
 */
export class MailboxKeys1790000001081 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX gateway.ix_mailbox_message_id');
    await queryRunner.query('DROP INDEX gateway.ix_mailbox_message_time');
    await queryRunner.query('ALTER TABLE gateway.mailbox_message DROP COLUMN source_event');
    await queryRunner.query('ALTER TABLE gateway.mailbox_message ALTER COLUMN principal TYPE text COLLATE "C"');
    await queryRunner.query('ALTER TABLE gateway.mailbox_head ALTER COLUMN principal TYPE text COLLATE "C"');
    await queryRunner.query('ALTER TABLE gateway.session_cursor ALTER COLUMN principal TYPE text COLLATE "C"');
    await queryRunner.query(
      'ALTER TABLE gateway.mailbox_message ADD CONSTRAINT uq_mailbox_message_id UNIQUE (principal, id)',
    );
    await queryRunner.query('CREATE INDEX ix_mailbox_message_time ON gateway.mailbox_message USING brin (time)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX gateway.ix_mailbox_message_time');
    await queryRunner.query('ALTER TABLE gateway.mailbox_message DROP CONSTRAINT uq_mailbox_message_id');
    await queryRunner.query('ALTER TABLE gateway.session_cursor ALTER COLUMN principal TYPE text COLLATE "default"');
    await queryRunner.query('ALTER TABLE gateway.mailbox_head ALTER COLUMN principal TYPE text COLLATE "default"');
    await queryRunner.query('ALTER TABLE gateway.mailbox_message ALTER COLUMN principal TYPE text COLLATE "default"');
    await queryRunner.query('ALTER TABLE gateway.mailbox_message ADD COLUMN source_event text');
    await queryRunner.query('UPDATE gateway.mailbox_message SET source_event = id::text');
    await queryRunner.query('ALTER TABLE gateway.mailbox_message ALTER COLUMN source_event SET NOT NULL');
    await queryRunner.query(
      'ALTER TABLE gateway.mailbox_message ADD CONSTRAINT uq_mailbox_message_source UNIQUE (principal, source_event)',
    );
    await queryRunner.query('CREATE INDEX ix_mailbox_message_time ON gateway.mailbox_message (time)');
    await queryRunner.query('CREATE INDEX ix_mailbox_message_id ON gateway.mailbox_message (principal, id)');
  }
}
