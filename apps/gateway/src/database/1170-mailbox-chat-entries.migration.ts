import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores chat messages once: the mailbox refers to the message in the history. Mailbox entries that the previous build
 * has stored keep their payload until they expire.
 *
 * The previous build continues to work: the view `mailbox_message` contains all entries, and its triggers write entries
 * as before.
 */
export class MailboxChatEntries1790000001170 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE gateway.mailbox_message RENAME TO mailbox_entry');
    for (const [from, to] of RENAMED_INDEXES) await queryRunner.query(`ALTER INDEX gateway.${from} RENAME TO ${to}`);
    await queryRunner.query(`
      CREATE TABLE gateway.mailbox_chat_entry (
        principal text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        conversation_id uuid NOT NULL,
        conversation_seq bigint NOT NULL,
        time bigint NOT NULL,
        except_session text,
        CONSTRAINT pk_mailbox_chat_entry PRIMARY KEY (principal, seq)
      )`);
    await queryRunner.query('CREATE INDEX ix_mailbox_chat_entry_time ON gateway.mailbox_chat_entry USING brin (time)');
    await queryRunner.query(CREATE_VIEW);
    await queryRunner.query(CREATE_FUNCTION);
    await queryRunner.query(CREATE_TRIGGER);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      INSERT INTO gateway.mailbox_entry (${COLUMNS})
      SELECT ${COLUMNS} FROM gateway.mailbox_message AS message
      WHERE NOT EXISTS (
        SELECT FROM gateway.mailbox_entry AS entry WHERE entry.principal = message.principal AND entry.seq = message.seq
      )`);
    await queryRunner.query('DROP VIEW gateway.mailbox_message');
    await queryRunner.query('DROP FUNCTION gateway.write_mailbox_message');
    await queryRunner.query('DROP TABLE gateway.mailbox_chat_entry');
    for (const [from, to] of RENAMED_INDEXES) await queryRunner.query(`ALTER INDEX gateway.${to} RENAME TO ${from}`);
    await queryRunner.query('ALTER TABLE gateway.mailbox_entry RENAME TO mailbox_message');
  }
}

const RENAMED_INDEXES = [
  ['pk_mailbox_message', 'pk_mailbox_entry'],
  ['uq_mailbox_message_id', 'uq_mailbox_entry_id'],
  ['ix_mailbox_message_replace', 'ix_mailbox_entry_replace'],
  ['ix_mailbox_message_signal', 'ix_mailbox_entry_signal'],
  ['ix_mailbox_message_time', 'ix_mailbox_entry_time'],
  ['ix_mailbox_message_voice', 'ix_mailbox_entry_voice'],
] as const;

const COLUMNS = `principal, seq, id, kind, time, expires_at, sender_type, sender_id, did, cid, family_id, audience,
  replace_key, payload, except_session`;

/** A recalled message has no row. Until now, its row had an empty payload that had expired. */
const CREATE_VIEW = `
  CREATE VIEW gateway.mailbox_message AS
  SELECT ${COLUMNS} FROM gateway.mailbox_entry
  UNION ALL
  SELECT entry.principal, entry.seq, message.id, message.kind, message.time, NULL, message.sender_type,
    message.sender_id, subject.did, subject.cid, own.family_id,
    CASE conversation.type WHEN 'FAMILY' THEN 'FAMILY_GROUP' ELSE 'CHAT' END, NULL, message.payload,
    entry.except_session
  FROM gateway.mailbox_chat_entry AS entry
  JOIN gateway.chat_message AS message USING (conversation_id, conversation_seq)
  JOIN gateway.conversation USING (conversation_id)
  JOIN gateway.conversation_member AS own
    ON own.conversation_id = entry.conversation_id
    AND entry.principal = CASE WHEN own.cid IS NULL THEN own.member ELSE 'watch:' || own.did END
  LEFT JOIN LATERAL (
    SELECT child.cid, child.did FROM gateway.conversation_member AS child
    WHERE child.conversation_id = entry.conversation_id AND child.cid IS NOT NULL
      AND CASE WHEN own.cid IS NULL THEN child.member = message.member OR conversation.type = 'DIRECT'
        ELSE child.member = own.member END
    ORDER BY child.member = message.member DESC LIMIT 1
  ) AS subject ON true
  WHERE message.recalled_at IS NULL`;

const CREATE_FUNCTION = `
  CREATE FUNCTION gateway.write_mailbox_message() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO gateway.mailbox_entry (${COLUMNS})
      SELECT ${COLUMNS} FROM (SELECT NEW.*) AS entry;
      RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
      UPDATE gateway.mailbox_entry SET expires_at = NEW.expires_at, payload = NEW.payload
      WHERE principal = OLD.principal AND seq = OLD.seq;
      RETURN NEW;
    END IF;
    DELETE FROM gateway.mailbox_entry WHERE principal = OLD.principal AND seq = OLD.seq;
    DELETE FROM gateway.mailbox_chat_entry WHERE principal = OLD.principal AND seq = OLD.seq;
    RETURN OLD;
  END $$`;

const CREATE_TRIGGER = `
  CREATE TRIGGER write_mailbox_message INSTEAD OF INSERT OR UPDATE OR DELETE ON gateway.mailbox_message
  FOR EACH ROW EXECUTE FUNCTION gateway.write_mailbox_message()`;
