import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { writeBytes } from './response-writer.js';
import { acquireBuffer } from './buffer-pool.js';

const BYTES = 300_000;

/** What an answer tells of its end: that it has "finished", whether its reader has taken all or is gone. */
class Answer {
  readonly socket = { destroyed: false };
  sent: Buffer | undefined;
  finish: () => void = () => undefined;

  setTimeout(): this {
    return this;
  }

  end(bytes: Buffer, finished: () => void): this {
    this.sent = bytes;
    this.finish = finished;
    return this;
  }
}

describe('a buffer that an answer is sent from', () => {
  let answer: Answer;
  let buffer: Buffer;

  beforeEach(async () => {
    answer = new Answer();
    buffer = acquireBuffer();
    const bytes = buffer.subarray(0, BYTES);
    await writeBytes({ kind: 'buffer', buffer, bytes }, answer as unknown as ServerResponse, BYTES);
    expect(answer.sent).toBe(bytes);
  });

  test('comes back when all of it has been sent, and not before', () => {
    expect(acquireBuffer()).not.toBe(buffer);
    answer.finish();
    expect(acquireBuffer()).toBe(buffer);
  });

  test('is forgotten when the connection ended: it may still be on its way', () => {
    answer.socket.destroyed = true;
    answer.finish();
    expect(acquireBuffer()).not.toBe(buffer);
  });
});
