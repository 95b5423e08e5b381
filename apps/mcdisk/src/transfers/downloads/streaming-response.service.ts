import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { rateLimitedError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { excludeFromUnreadLimit, readTimeout } from '@family-watch/platform/http/request-sequencer';
import type { BlobReader, ByteRange } from '../../storage/blobs/blob-store.js';
import { BlobTruncatedError, BUFFER_BYTES, releaseBuffer, acquireBuffer, type ByteSource } from './blob-byte-cache.js';

/**
 * Maximum number of streaming responses per principal. Each response occupies an open file and two buffers while its
 * client reads.
 */
const MAX_RESPONSES_PER_PRINCIPAL = 64;
const RETRY_AFTER_SECONDS = 2;
/**
 * Interval of access checks. With access checks at this interval and the one-second TTL of cached contents, the end of
 * access takes effect within two seconds.
 */
const ACCESS_CHECK_INTERVAL_MS = 1_000;

/** The reader of a response, and a check whether the reader still has access. */
export interface StreamReader {
  holder: PrincipalKey;
  isStillAllowed: () => Promise<boolean>;
}

/** Limits the number of streaming responses per principal, and aborts a response when its reader's access ends. */
@Injectable()
export class StreamingResponseService {
  private readonly logger = new Logger(StreamingResponseService.name);
  private readonly responseCounts = new Map<PrincipalKey, number>();

  /**
   * Runs `work`, which sends the response. Closes the connection when the reader's access ends before the response
   * does.
   * @throws ServiceError RATE_LIMITED when the principal has too many responses in progress; errors of `work`
   */
  async run(reader: StreamReader, response: ServerResponse, work: () => Promise<void>): Promise<void> {
    const { holder } = reader;
    const count = this.responseCounts.get(holder) ?? 0;
    if (count >= MAX_RESPONSES_PER_PRINCIPAL) throw rateLimitedError('downloads', RETRY_AFTER_SECONDS);
    this.responseCounts.set(holder, count + 1);
    const stopMonitoring = this.monitorAccess(reader, response);
    try {
      await work();
    } finally {
      const end = () => {
        stopMonitoring();
        this.decrementCount(holder);
      };
      // The bytes of a completely written response may still be buffered; access is checked until all are sent.
      if (response.writableFinished || response.destroyed) end();
      else response.once('close', end);
    }
  }

  get activeCount(): number {
    return [...this.responseCounts.values()].reduce((sum, count) => sum + count, 0);
  }

  private decrementCount(holder: PrincipalKey): void {
    const remaining = (this.responseCounts.get(holder) ?? 1) - 1;
    if (remaining > 0) this.responseCounts.set(holder, remaining);
    else this.responseCounts.delete(holder);
  }

  private monitorAccess({ isStillAllowed }: StreamReader, response: ServerResponse): () => void {
    let hasEnded = false;
    const checkAccess = async () => {
      const isAllowed = await this.isAccessValid(isStillAllowed);
      if (hasEnded) return;
      if (isAllowed) timer = setTimeout(() => void checkAccess(), ACCESS_CHECK_INTERVAL_MS);
      else response.destroy();
    };
    let timer = setTimeout(() => void checkAccess(), ACCESS_CHECK_INTERVAL_MS);
    return () => {
      hasEnded = true;
      clearTimeout(timer);
    };
  }

  /**
   * Returns whether the reader still has access. When the check fails, for example because the database is unavailable,
   * the access counts as valid, except while revocations are stale.
   */
  private async isAccessValid(check: StreamReader['isStillAllowed']): Promise<boolean> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'REVOCATIONS_STALE') return false;
      this.logger.warn({ msg: 'Access check of a running download failed', err: error });
      return true;
    }
  }
}

/**
 * Sends exactly `length` bytes as the body of a response whose headers were written. At most two buffers of a large
 * blob are in memory while the client reads. If the response cannot be completed, the connection is closed, so that the
 * client does not accept a part as the whole file. The connection is also closed when the client reads nothing for
 * `stallTimeout` milliseconds, or reads too slowly. The source is always closed.
 * @throws BlobTruncatedError, or the error of the source. Does not throw when the client closed the connection.
 */
export async function writeBytes(
  source: ByteSource,
  response: ServerResponse,
  { length, stallTimeout }: { length: number; stallTimeout: number },
): Promise<void> {
  // The limit is not needed: at most two buffers wait for the client, and `StreamingResponseService` limits the
  // responses of a principal.
  excludeFromUnreadLimit(response);
  response.setTimeout(stallTimeout, () => response.destroy());
  const timer = setTimeout(() => response.destroy(), readTimeout(length, stallTimeout)).unref();
  response.once('close', () => clearTimeout(timer));
  try {
    if (source.kind === 'file') await pumpFile(source.reader, source.range, response);
    if (source.kind === 'stream') await pumpStream(source.stream, response, length);
    if (source.kind === 'buffer') endWithBuffer(source, response);
    else response.end(source.kind === 'memory' ? source.bytes : undefined);
  } catch (error) {
    const clientDisconnected = response.destroyed;
    response.destroy();
    if (!clientDisconnected) throw error;
  }
}

function endWithBuffer({ bytes, buffer }: { bytes: Buffer; buffer: Buffer }, response: ServerResponse): void {
  const { socket } = response;
  // "finish" is also reported for an aborted response, whose buffer may still be in use.
  response.end(bytes, () => {
    if (socket?.destroyed === false) releaseBuffer(buffer);
  });
}

/** Sends a range of a file. Uses two buffers, so that one is filled while the other one is sent. */
async function pumpFile(reader: BlobReader, { start, end }: ByteRange, response: ServerResponse): Promise<void> {
  const closed = whenClosed(response);
  const buffers: Buffer[] = [];
  let [sending, previous]: Promise<void>[] = [];
  let current: 0 | 1 = 0;
  try {
    for (let position = start; position <= end; current = current === 0 ? 1 : 0) {
      await Promise.race([previous, closed]);
      const chunk = (buffers[current] ??= acquireBuffer()).subarray(0, Math.min(BUFFER_BYTES, end + 1 - position));
      const count = await reader.read(chunk, position);
      if (count < chunk.length) throw new BlobTruncatedError('The stored blob is shorter than its size');
      if (response.destroyed) return;
      [previous, sending] = [sending, new Promise<void>((resolve) => response.write(chunk, () => resolve()))];
      position += count;
    }
    await Promise.race([Promise.all([previous, sending]), closed]);
    // The buffers of an aborted response may still be in use.
    if (!response.destroyed) buffers.forEach(releaseBuffer);
  } finally {
    await reader.close();
  }
}

async function pumpStream(stream: Readable, response: ServerResponse, length: number): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  let remaining = length;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      remaining -= chunk.length;
      if (response.destroyed) return;
      if (!response.write(chunk)) await once(response, 'drain', { signal: closed.signal });
    }
  } finally {
    stream.destroy();
  }
  if (remaining !== 0) throw new BlobTruncatedError(`${remaining} bytes of the blob are missing`);
}

function whenClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', () => resolve());
  });
}
