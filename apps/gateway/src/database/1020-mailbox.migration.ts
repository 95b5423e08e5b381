import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the mailbox tables: numbered messages per principal, mailbox heads, and the cursor of each session. */
export class Mailbox1790000001020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // One row per principal, updated with every message: the fill factor leaves space for in-page (HOT) updates.
    await queryRunner.query(`
      CREATE TABLE gateway.mailbox_head (
        principal text NOT NULL,
        head bigint NOT NULL DEFAULT 0,
        pruned bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_mailbox_head PRIMARY KEY (principal),
        CONSTRAINT ck_mailbox_head_pruned CHECK (pruned BETWEEN 0 AND head)
      ) WITH (fillfactor = 70)`);
    // Both keys of the table start with the principal, so that the table can be hash-partitioned by principal.
    await queryRunner.query(`
      CREATE TABLE gateway.mailbox_message (
        principal text NOT NULL,
        seq bigint NOT NULL,
        id uuid NOT NULL,
        source_event text NOT NULL,
        kind text NOT NULL,
        time bigint NOT NULL,
        expires_at bigint,
        sender_type text NOT NULL,
        sender_id text NOT NULL,
        did bigint,
        cid text,
        family_id text,
        audience text NOT NULL,
        replace_key text,
        payload json NOT NULL,
        CONSTRAINT pk_mailbox_message PRIMARY KEY (principal, seq),
        CONSTRAINT uq_mailbox_message_source UNIQUE (principal, source_event)
      )`);
    await queryRunner.query('CREATE INDEX ix_mailbox_message_id ON gateway.mailbox_message (principal, id)');
    await queryRunner.query('CREATE INDEX ix_mailbox_message_time ON gateway.mailbox_message (time)');
    await queryRunner.query(`
      CREATE INDEX ix_mailbox_message_replace ON gateway.mailbox_message (principal, replace_key, seq)
        WHERE replace_key IS NOT NULL`);
    await queryRunner.query(`
      CREATE TABLE gateway.session_cursor (
        session text NOT NULL,
        principal text NOT NULL,
        acknowledged bigint NOT NULL,
        seen_at bigint NOT NULL,
        CONSTRAINT pk_session_cursor PRIMARY KEY (session)
      ) WITH (fillfactor = 70)`);
    await queryRunner.query('CREATE INDEX ix_session_cursor_seen ON gateway.session_cursor (seen_at)');
    // A table of one row: the epoch, which is when numbering started. It must be reset after a backup is restored,
    // because sequence numbers may then be reused.
    await queryRunner.query(`
      CREATE TABLE gateway.epoch (
        singleton boolean NOT NULL DEFAULT true,
        epoch bigint NOT NULL,
        CONSTRAINT pk_epoch PRIMARY KEY (singleton),
        CONSTRAINT ck_epoch_singleton CHECK (singleton)
      )`);
    await queryRunner.query(
      'INSERT INTO gateway.epoch (epoch) VALUES ((extract(epoch FROM clock_timestamp()) * 1000)::bigint)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP TABLE gateway.epoch, gateway.session_cursor, gateway.mailbox_message, gateway.mailbox_head',
    );
  }
}
