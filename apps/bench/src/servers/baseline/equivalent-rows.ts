import { createHash } from 'node:crypto';
import { bigintArray, jsonArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import type { openDedicatedConnection } from '@family-watch/platform/database/connection';
import type { MessageWriter, BaselineMessage } from './message-table.js';

type Connection = Awaited<ReturnType<typeof openDedicatedConnection>>;

/** Creates the tables and keys of the gateway's history and mailboxes that a text message between two people uses. */
export const CREATE_EQUIVALENT_ROWS = `
  CREATE TABLE bare_conversation (
    conversation_id uuid PRIMARY KEY, head bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70);
  CREATE TABLE bare_chat (
    conversation_id uuid NOT NULL, conversation_seq bigint NOT NULL, id uuid NOT NULL UNIQUE, member text NOT NULL,
    sender_type text NOT NULL, sender_id text NOT NULL, kind text NOT NULL, time bigint NOT NULL, recalled_at bigint,
    payload json NOT NULL, PRIMARY KEY (conversation_id, conversation_seq)
  );
  CREATE INDEX ON bare_chat USING brin (time);
  CREATE TABLE bare_mailbox_head (
    principal text COLLATE "C" PRIMARY KEY, head bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70);
  CREATE TABLE bare_mailbox (
    principal text COLLATE "C" NOT NULL, seq bigint NOT NULL, id uuid NOT NULL, kind text NOT NULL,
    time bigint NOT NULL, expires_at bigint, sender_type text NOT NULL, sender_id text NOT NULL, did bigint, cid text,
    family_id text, audience text NOT NULL, replace_key text, payload json NOT NULL, except_session text,
    PRIMARY KEY (principal, seq), UNIQUE (principal, id)
  );
  CREATE INDEX ON bare_mailbox USING brin (time);
  CREATE INDEX ON bare_mailbox (principal, replace_key, seq) WHERE replace_key IS NOT NULL`;

const LOCK_CONVERSATIONS = `
  SELECT conversation_id AS name, head FROM bare_conversation WHERE conversation_id = ANY($1::uuid[])
  ORDER BY conversation_id FOR NO KEY UPDATE`;

const LOCK_MAILBOXES = `
  SELECT principal AS name, head FROM bare_mailbox_head WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`;

const STORE_CHAT = `
  WITH new_message AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::json[]
    ) AS new_message (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
  ), stored AS (
    INSERT INTO bare_chat (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
    SELECT * FROM new_message
  )
  UPDATE bare_conversation AS conversation SET head = newest.head
  FROM (SELECT conversation_id, max(conversation_seq) AS head FROM new_message GROUP BY conversation_id) AS newest
  WHERE conversation.conversation_id = newest.conversation_id`;

const STORE_MAILBOX = `
  WITH entry AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::text[],
      $8::text[], $9::json[]) AS entry (principal, seq, id, kind, time, sender_type, sender_id, family_id, payload)
  ), stored AS (
    INSERT INTO bare_mailbox (principal, seq, id, kind, time, sender_type, sender_id, family_id, audience, payload)
    SELECT principal, seq, id, kind, time, sender_type, sender_id, family_id, 'CHAT', payload FROM entry
  )
  UPDATE bare_mailbox_head AS mailbox SET head = newest.head
  FROM (SELECT principal, max(seq) AS head FROM entry GROUP BY principal) AS newest
  WHERE mailbox.principal = newest.principal`;

const MESSAGE_KIND = 'ChatTextMessage';

/** A message of a batch with its sequence numbers. */
interface NumberedMessage {
  message: BaselineMessage;
  conversationId: string;
  conversationSeq: number;
  seq: number;
  payload: string;
}

/**
 * Stores messages with the gateway's group commit: history and mailbox in one transaction, each numbered under the row
 * lock of its head. The class checks neither permissions nor duplicates, and stores each message for one recipient.
 */
export class EquivalentRowsTable implements MessageWriter {
  /** Conversation ids and principals whose head rows exist. */
  private readonly existingRows = new Set<string>();

  constructor(private readonly connection: Connection) {}

  async insert(messages: readonly BaselineMessage[]): Promise<number[]> {
    const conversations = messages.map(({ sender, receiver }) => conversationIdOf(sender, receiver));
    await this.createMissingRows(messages, conversations);
    await this.connection.query('BEGIN');
    const heads = await this.lock('lock-conversations', LOCK_CONVERSATIONS, uuidArray([...new Set(conversations)]));
    const numbered = messages.map((message, index): NumberedMessage => {
      const conversationId = conversations[index] ?? '';
      const conversationSeq = nextSeq(heads, conversationId);
      const { clientMsgId, text } = message;
      const payload = JSON.stringify({ clientMsgId, conversationId, text, conversationSeq });
      return { message, conversationId, conversationSeq, seq: 0, payload };
    });
    await this.storeChat(numbered);
    const mailboxes = await this.lock(
      'lock-mailboxes',
      LOCK_MAILBOXES,
      textArray([...new Set(messages.map(receiverOf))]),
    );
    for (const entry of numbered) entry.seq = nextSeq(mailboxes, entry.message.receiver);
    await this.storeMailbox(numbered);
    await this.connection.query('COMMIT');
    return numbered.map(({ seq }) => seq);
  }

  private async createMissingRows(
    messages: readonly BaselineMessage[],
    conversations: readonly string[],
  ): Promise<void> {
    const isNew = (name: string) => !this.existingRows.has(name) && this.existingRows.add(name);
    const ids = [...new Set(conversations)].filter(isNew);
    const names = [...new Set(messages.map(receiverOf))].filter(isNew);
    if (ids.length + names.length === 0) return;
    const insert = (table: string, type: string) =>
      `INSERT INTO ${table} SELECT * FROM unnest($1::${type}[]) ON CONFLICT DO NOTHING`;
    await this.connection.query(insert('bare_conversation (conversation_id)', 'uuid'), [ids]);
    await this.connection.query(insert('bare_mailbox_head (principal)', 'text'), [names]);
  }

  private async lock(name: string, text: string, names: Buffer): Promise<Map<string, number>> {
    const { rows } = await this.connection.query<{ name: string; head: number }>({ name, text, values: [names] });
    return new Map(rows.map((row) => [row.name, row.head]));
  }

  private async storeChat(numbered: readonly NumberedMessage[]): Promise<void> {
    const sender = textArray(numbered.map(({ message }) => message.sender));
    await this.connection.query({
      name: 'store-chat',
      text: STORE_CHAT,
      values: [
        uuidArray(numbered.map(({ conversationId }) => conversationId)),
        bigintArray(numbered.map(({ conversationSeq }) => conversationSeq)),
        uuidArray(numbered.map(({ message }) => message.id)),
        sender,
        textArray(numbered.map(() => 'user')),
        sender,
        textArray(numbered.map(() => MESSAGE_KIND)),
        bigintArray(numbered.map(({ message }) => message.time)),
        jsonArray(numbered.map(({ payload }) => payload)),
      ],
    });
  }

  private async storeMailbox(numbered: readonly NumberedMessage[]): Promise<void> {
    await this.connection.query({
      name: 'store-mailbox',
      text: STORE_MAILBOX,
      values: [
        textArray(numbered.map(({ message }) => message.receiver)),
        bigintArray(numbered.map(({ seq }) => seq)),
        uuidArray(numbered.map(({ message }) => message.id)),
        textArray(numbered.map(() => MESSAGE_KIND)),
        bigintArray(numbered.map(({ message }) => message.time)),
        textArray(numbered.map(() => 'user')),
        textArray(numbered.map(({ message }) => message.sender)),
        textArray(numbered.map(({ conversationId }) => conversationId)),
        jsonArray(numbered.map(({ payload }) => payload)),
      ],
    });
  }
}

const receiverOf = ({ receiver }: BaselineMessage) => receiver;

function nextSeq(heads: Map<string, number>, name: string): number {
  const seq = (heads.get(name) ?? 0) + 1;
  heads.set(name, seq);
  return seq;
}

const conversationIds = new Map<string, string>();

/** Derives the conversation id (UUID) of a sender and a receiver. Cached. */
function conversationIdOf(sender: string, receiver: string): string {
  const names = `${sender} ${receiver}`;
  const cachedId = conversationIds.get(names);
  if (cachedId) return cachedId;
  const hex = createHash('sha256').update(names).digest('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  conversationIds.set(names, id);
  return id;
}
