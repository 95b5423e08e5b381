import type { openDedicatedConnection } from '@family-watch/platform/database/connection';

/**
 * A message of the bare server, which is Socket.IO with minimal delivery, for comparison with the gateway. Sequence
 * numbers are per receiver.
 */
export interface BaselineMessage {
  receiver: string;
  id: string;
  sender: string;
  clientMsgId: string;
  text: string;
  /** Unix milliseconds. */
  time: number;
}

export const CREATE_TABLE = `
  CREATE TABLE bare_message (
    receiver text NOT NULL,
    seq bigint NOT NULL,
    id uuid NOT NULL,
    sender text NOT NULL,
    client_msg_id text NOT NULL,
    text text NOT NULL,
    time bigint NOT NULL,
    PRIMARY KEY (receiver, seq)
  )`;

const INSERT_MESSAGES = `
  INSERT INTO bare_message
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[])`;

/** Storage of the bare server. */
export interface MessageWriter {
  /** Stores messages durably. @returns their sequence numbers per receiver, in the order of `messages` */
  insert(messages: readonly BaselineMessage[]): Promise<number[]>;
}

/** Stores one row per message. A batch of messages is one prepared statement and one commit. */
export class MessageTable implements MessageWriter {
  private readonly heads = new Map<string, number>();

  constructor(private readonly connection: Awaited<ReturnType<typeof openDedicatedConnection>>) {}

  async insert(messages: readonly BaselineMessage[]): Promise<number[]> {
    const seqs = messages.map(({ receiver }) => this.nextSeq(receiver));
    await this.connection.query({
      name: 'insert',
      text: INSERT_MESSAGES,
      values: [
        messages.map(({ receiver }) => receiver),
        seqs,
        messages.map(({ id }) => id),
        messages.map(({ sender }) => sender),
        messages.map(({ clientMsgId }) => clientMsgId),
        messages.map(({ text }) => text),
        messages.map(({ time }) => time),
      ],
    });
    return seqs;
  }

  private nextSeq(receiver: string): number {
    const seq = (this.heads.get(receiver) ?? 0) + 1;
    this.heads.set(receiver, seq);
    return seq;
  }
}
