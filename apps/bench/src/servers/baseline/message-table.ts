import type { openDedicatedConnection } from '@family-watch/platform/database/connection';

/** A message of the bare server, numbered per receiver. */
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

const INSERT = `
  INSERT INTO bare_message
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[])`;

/** Makes messages durable, and numbers them in the receivers' order of arrival. */
export interface MessageWriter {
  insert(messages: readonly BaselineMessage[]): Promise<number[]>;
}

/** One durable row per message; a batch is one statement, prepared once, and so one commit. */
export class MessageTable implements MessageWriter {
  private readonly heads = new Map<string, number>();

  constructor(private readonly connection: Awaited<ReturnType<typeof openDedicatedConnection>>) {}

  async insert(messages: readonly BaselineMessage[]): Promise<number[]> {
    const numbers = messages.map(({ receiver }) => this.next(receiver));
    await this.connection.query({
      name: 'insert',
      text: INSERT,
      values: [
        messages.map(({ receiver }) => receiver),
        numbers,
        messages.map(({ id }) => id),
        messages.map(({ sender }) => sender),
        messages.map(({ clientMsgId }) => clientMsgId),
        messages.map(({ text }) => text),
        messages.map(({ time }) => time),
      ],
    });
    return numbers;
  }

  private next(receiver: string): number {
    const number = (this.heads.get(receiver) ?? 0) + 1;
    this.heads.set(receiver, number);
    return number;
  }
}
