import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for conversations, their members, and chat messages. */
export class Conversations1790000001040 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Updated with every batch of messages: rows are short, and the fill factor leaves space for in-page (HOT) updates.
    await queryRunner.query(`
      CREATE TABLE gateway.conversation (
        conversation_id uuid NOT NULL,
        type text NOT NULL,
        head bigint NOT NULL DEFAULT 0,
        revision bigint NOT NULL DEFAULT 0,
        closed boolean NOT NULL DEFAULT false,
        CONSTRAINT pk_conversation PRIMARY KEY (conversation_id)
      ) WITH (fillfactor = 70)`);
    await queryRunner.query(`
      CREATE TABLE gateway.conversation_member (
        conversation_id uuid NOT NULL,
        member text NOT NULL,
        family_id text NOT NULL,
        cid text,
        did bigint,
        active boolean NOT NULL,
        joined_at_seq bigint NOT NULL DEFAULT 0,
        delivered_seq bigint NOT NULL DEFAULT 0,
        read_seq bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_conversation_member PRIMARY KEY (conversation_id, member),
        CONSTRAINT fk_conversation_member_conversation
          FOREIGN KEY (conversation_id) REFERENCES gateway.conversation (conversation_id)
      ) WITH (fillfactor = 70)`);
    await queryRunner.query('CREATE INDEX ix_conversation_member_member ON gateway.conversation_member (member)');
    await queryRunner.query('CREATE INDEX ix_conversation_member_family ON gateway.conversation_member (family_id)');
    // Sources of conversations (families and friendships), with the newest version of each source that was applied.
    await queryRunner.query(`
      CREATE TABLE gateway.conversation_source (
        source text NOT NULL,
        version bigint NOT NULL,
        CONSTRAINT pk_conversation_source PRIMARY KEY (source)
      )`);
    // The id is derived from the sender and the sender's message id: the primary key rejects duplicates.
    await queryRunner.query(`
      CREATE TABLE gateway.chat_message (
        conversation_id uuid NOT NULL,
        conversation_seq bigint NOT NULL,
        id uuid NOT NULL,
        member text NOT NULL,
        sender_type text NOT NULL,
        sender_id text NOT NULL,
        kind text NOT NULL,
        time bigint NOT NULL,
        recalled_at bigint,
        payload json NOT NULL,
        CONSTRAINT pk_chat_message PRIMARY KEY (conversation_id, conversation_seq),
        CONSTRAINT uq_chat_message_id UNIQUE (id)
      )`);
    await queryRunner.query('CREATE INDEX ix_chat_message_time ON gateway.chat_message USING brin (time)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE gateway.chat_message, gateway.conversation_source, gateway.conversation_member, gateway.conversation`);
  }
}
