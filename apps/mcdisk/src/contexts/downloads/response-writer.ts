import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { BlobReader, ByteRange } from '../blobs/blob-store.js';
import { BlobTruncatedError } from './blob-byte-cache.js';
import { BUFFER_BYTES, releaseBuffer, acquireBuffer } from './buffer-pool.js';
import type { ByteSource } from './byte-source.js';

/** A reader that takes nothing for this long is gone, and what it holds is let go. Milliseconds. */
const STALLED_MS = 60_000;

/**
 * Sends exactly `length` bytes as the body of an answer whose headers have been written. Of a large blob at most two
 * buffers wait for the reader. An answer that cannot be finished ends with its connection, so that nobody takes a part
 * for the whole; the source is closed on every way out.
 * @throws BlobTruncatedError, or what the source failed with; not when it was the reader who left
 */
export async function writeBytes(source: ByteSource, response: ServerResponse, length: number): Promise<void> {
  response.setTimeout(STALLED_MS, () => response.destroy());
  try {
    if (source.kind === 'file') await pumpFile(source.reader, source.range, response);
    if (source.kind === 'stream') await pumpStream(source.stream, response, length);
    if (source.kind === 'buffer') endWith(source, response);
    else response.end(source.kind === 'memory' ? source.bytes : undefined);
  } catch (error) {
    const readerLeft = response.destroyed;
    response.destroy();
    if (!readerLeft) throw error;
  }
}

function endWith({ bytes, buffer }: { bytes: Buffer; buffer: Buffer }, response: ServerResponse): void {
  const { socket } = response;
  // An answer that broke off "finishes", too; nobody knows whether its buffer is still being sent.
  response.end(bytes, () => {
    if (socket?.destroyed === false) releaseBuffer(buffer);
  });
}

/** While one buffer is on its way to the reader, the other one is filled. */
async function pumpFile(reader: BlobReader, { start, end }: ByteRange, response: ServerResponse): Promise<void> {
  const left = whenClosed(response);
  const buffers: Buffer[] = [];
  let [sending, before]: Promise<void>[] = [];
  let turn: 0 | 1 = 0;
  try {
    for (let position = start; position <= end; turn = turn === 0 ? 1 : 0) {
      await Promise.race([before, left]);
      const piece = (buffers[turn] ??= acquireBuffer()).subarray(0, Math.min(BUFFER_BYTES, end + 1 - position));
      const count = await reader.read(piece, position);
      if (count < piece.length) throw new BlobTruncatedError('The blob ends before its end');
      if (response.destroyed) return;
      [before, sending] = [sending, new Promise<void>((resolve) => response.write(piece, () => resolve()))];
      position += count;
    }
    await Promise.race([Promise.all([before, sending]), left]);
    // Of an answer that broke off nobody knows whether its buffers are still being sent.
    if (!response.destroyed) buffers.forEach(releaseBuffer);
  } finally {
    await reader.close();
  }
}

async function pumpStream(stream: Readable, response: ServerResponse, length: number): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  let missing = length;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      missing -= chunk.length;
      if (response.destroyed) return;
      if (!response.write(chunk)) await once(response, 'drain', { signal: left.signal });
    }
  } finally {
    stream.destroy();
  }
  if (missing !== 0) throw new BlobTruncatedError(`${missing} bytes are missing`);
}

function whenClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', () => resolve());
  });
}
