import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeBytes } from './streaming-response.service.js';
import { acquireBuffer } from './blob-byte-cache.js';

const SAMPLE_BYTES = 300_000;

/** A response whose "finish" callback is called both when all bytes were sent and when the connection was closed. */
class FakeResponse {
  readonly socket = { destroyed: false };
  sentBytes: Buffer | undefined;
  finish: () => void = () => undefined;
  close: () => void = () => undefined;

  setTimeout(): this {
    return this;
  }

  once(_: 'close', listener: () => void): this {
    this.close = listener;
    return this;
  }

  end(bytes: Buffer, finished: () => void): this {
    this.sentBytes = bytes;
    this.finish = finished;
    return this;
  }
}

describe('writeBytes from a pooled buffer', () => {
  let response: FakeResponse;
  let buffer: Buffer;

  beforeEach(async () => {
    response = new FakeResponse();
    buffer = acquireBuffer();
    const bytes = buffer.subarray(0, SAMPLE_BYTES);
    await writeBytes({ kind: 'buffer', buffer, bytes }, response as unknown as ServerResponse, {
      length: SAMPLE_BYTES,
      stallTimeout: 60_000,
    });
    expect(response.sentBytes).toBe(bytes);
  });
  afterEach(() => response.close());

  test('releases the buffer when all bytes have been sent, and not before', () => {
    expect(acquireBuffer()).not.toBe(buffer);
    response.finish();
    expect(acquireBuffer()).toBe(buffer);
  });

  test('does not release the buffer when the connection was closed, because the socket may still read it', () => {
    response.socket.destroyed = true;
    response.finish();
    expect(acquireBuffer()).not.toBe(buffer);
  });
});
