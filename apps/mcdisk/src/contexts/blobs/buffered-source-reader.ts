import { finished } from 'node:stream';
import type { Readable } from 'node:stream';
import { BlobSourceAbortedError, BlobTooLargeError } from './blob-store.js';

/** Bytes that are worth a write of their own. */
const PIECE_BYTES = 1024 * 1024;

/** Bytes that may wait to be taken before the source has to. */
const MAX_WAITING_BYTES = 4 * PIECE_BYTES;

/** Smaller chunks are copied together: each alone costs a few hundred bytes more than it carries. */
const SMALL_BYTES = 4 * 1024;
const GATHERED_BYTES = 4 * SMALL_BYTES;

/** Milliseconds that bytes of a slow source wait for more: many slow ones must not fill the memory. */
const GATHER_MS = 1_000;

/**
 * Gathers what a source sends into pieces that are worth a write, and lets it wait when nobody takes them. The
 * source is left as it is when the reader is released: paused, never destroyed.
 */
export class BufferedSourceReader {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** Where small chunks are copied to; what is before `from` has been handed over or waits already. */
  private small = { buffer: Buffer.alloc(0), from: 0, to: 0 };
  private receivedBytes = 0;
  private ended = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;
  private readonly forget: () => void;

  constructor(
    private readonly source: Readable,
    private readonly maxBytes: number,
    private readonly signal?: AbortSignal,
  ) {
    this.forget = finished(source, { writable: false }, (error) => {
      this.end(error ? new BlobSourceAbortedError('The bytes broke off', { cause: error }) : undefined);
    });
    source.on('data', this.onData);
    signal?.addEventListener('abort', this.onAbort);
    if (signal?.aborted) this.end();
  }

  /**
   * What has come since the last time: about a mebibyte, or less at the end or from a slow source.
   * @returns `undefined` at the end
   * @throws BlobTooLargeError, BlobSourceAbortedError, both only after all bytes before were taken
   */
  async read(): Promise<Buffer[] | undefined> {
    if (this.waitingBytes < PIECE_BYTES && !this.ended) await this.more();
    if (this.waitingBytes > 0) return this.handOver();
    if (this.failure) throw this.failure;
    return undefined;
  }

  /** Stops reading. */
  release(): void {
    this.source.off('data', this.onData);
    this.signal?.removeEventListener('abort', this.onAbort);
    this.forget();
    if (!this.source.readableEnded) this.source.pause();
  }

  private handOver(): Buffer[] {
    this.closeSmall();
    const piece = this.waiting;
    this.waiting = [];
    this.waitingBytes = 0;
    if (!this.ended && this.source.isPaused()) this.source.resume();
    return piece;
  }

  /** Waits for a piece, for the end, or for anything that has waited too long already. */
  private async more(): Promise<void> {
    do {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, GATHER_MS);
      });
      clearTimeout(timer);
      this.wake = undefined;
    } while (this.waitingBytes === 0 && !this.ended);
  }

  private readonly onData = (data: Buffer | string): void => {
    if (this.ended) return;
    const chunk = typeof data === 'string' ? Buffer.from(data) : data;
    const room = this.maxBytes - this.receivedBytes;
    this.keep(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length > room) this.end(new BlobTooLargeError('More bytes came than were announced'));
    else if (this.waitingBytes >= PIECE_BYTES) this.wake?.();
  };

  private keep(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (chunk.length < SMALL_BYTES) this.copySmall(chunk);
    else {
      this.closeSmall();
      this.waiting.push(chunk);
    }
    this.waitingBytes += chunk.length;
    this.receivedBytes += chunk.length;
    if (this.waitingBytes >= MAX_WAITING_BYTES) this.source.pause();
  }

  private copySmall(chunk: Buffer): void {
    if (this.small.buffer.length - this.small.to < chunk.length) {
      this.closeSmall();
      this.small = { buffer: Buffer.allocUnsafeSlow(GATHERED_BYTES), from: 0, to: 0 };
    }
    chunk.copy(this.small.buffer, this.small.to);
    this.small.to += chunk.length;
  }

  /** What was copied waits like any other chunk. */
  private closeSmall(): void {
    const { buffer, from, to } = this.small;
    if (to > from) this.waiting.push(buffer.subarray(from, to));
    this.small.from = to;
  }

  private readonly onAbort = (): void => this.end();

  private end(failure?: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = failure;
    if (!this.source.readableEnded) this.source.pause();
    this.wake?.();
  }
}
