import { finished, type Readable } from 'node:stream';
import { BlobSourceAbortedError, BlobTooLargeError } from './blob-store.js';

/** Number of bytes that are gathered for one write. */
const BATCH_BYTES = 1024 * 1024;
/** Buffered bytes at which the source is paused. */
const MAX_BUFFERED_BYTES = 4 * BATCH_BYTES;
/**
 * Size below which chunks are copied into a shared buffer, because each separate chunk has an overhead of a few hundred
 * bytes.
 */
const SMALL_CHUNK_BYTES = 4 * 1024;
const SHARED_BUFFER_BYTES = 4 * SMALL_CHUNK_BYTES;
/** Maximum time for which bytes of a slow source are buffered, so that many slow sources do not fill the memory. */
const MAX_GATHER_MS = 1_000;

/**
 * Gathers the chunks of a source into batches for one write, and pauses the source while too many bytes are buffered.
 * `release` pauses the source and never destroys it.
 */
export class BufferedSourceReader {
  private bufferedChunks: Buffer[] = [];
  private bufferedBytes = 0;
  /** Shared buffer for small chunks; bytes before `from` have been returned or are in `bufferedChunks`. */
  private smallChunks = { buffer: Buffer.alloc(0), from: 0, to: 0 };
  private receivedBytes = 0;
  private isEnded = false;
  private failure: Error | undefined;
  private notify: (() => void) | undefined;
  private readonly stopListening: () => void;

  constructor(
    private readonly source: Readable,
    private readonly maxBytes: number,
    private readonly signal?: AbortSignal,
  ) {
    this.stopListening = finished(source, { writable: false }, (error) => {
      this.endReading(error ? new BlobSourceAbortedError('The source was aborted', { cause: error }) : undefined);
    });
    source.on('data', this.onData);
    signal?.addEventListener('abort', this.onAbort);
    if (signal?.aborted) this.endReading();
  }

  /**
   * Returns the bytes received since the last call: about a mebibyte, or less at the end and from a slow source.
   * @returns `undefined` at the end of the source
   * @throws BlobTooLargeError, BlobSourceAbortedError, both only after all earlier bytes were returned
   */
  async read(): Promise<Buffer[] | undefined> {
    if (this.bufferedBytes < BATCH_BYTES && !this.isEnded) await this.waitForBytes();
    if (this.bufferedBytes > 0) return this.drainBatch();
    if (this.failure) throw this.failure;
    return undefined;
  }

  /** Stops reading and pauses the source. */
  release(): void {
    this.source.off('data', this.onData);
    this.signal?.removeEventListener('abort', this.onAbort);
    this.stopListening();
    if (!this.source.readableEnded) this.source.pause();
  }

  private drainBatch(): Buffer[] {
    this.flushSmall();
    const batch = this.bufferedChunks;
    this.bufferedChunks = [];
    this.bufferedBytes = 0;
    if (!this.isEnded && this.source.isPaused()) this.source.resume();
    return batch;
  }

  /** Waits until a full batch is buffered, the source ends, or bytes have been buffered for `MAX_GATHER_MS`. */
  private async waitForBytes(): Promise<void> {
    do {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.notify = resolve;
        timer = setTimeout(resolve, MAX_GATHER_MS);
      });
      clearTimeout(timer);
      this.notify = undefined;
    } while (this.bufferedBytes === 0 && !this.isEnded);
  }

  private readonly onData = (data: Buffer | string): void => {
    if (this.isEnded) return;
    const chunk = typeof data === 'string' ? Buffer.from(data) : data;
    const remaining = this.maxBytes - this.receivedBytes;
    this.append(chunk.length > remaining ? chunk.subarray(0, remaining) : chunk);
    if (chunk.length > remaining) this.endReading(new BlobTooLargeError('The source sent more bytes than announced'));
    else if (this.bufferedBytes >= BATCH_BYTES) this.notify?.();
  };

  private append(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (chunk.length < SMALL_CHUNK_BYTES) this.copySmall(chunk);
    else {
      this.flushSmall();
      this.bufferedChunks.push(chunk);
    }
    this.bufferedBytes += chunk.length;
    this.receivedBytes += chunk.length;
    if (this.bufferedBytes >= MAX_BUFFERED_BYTES) this.source.pause();
  }

  private copySmall(chunk: Buffer): void {
    if (this.smallChunks.buffer.length - this.smallChunks.to < chunk.length) {
      this.flushSmall();
      this.smallChunks = { buffer: Buffer.allocUnsafeSlow(SHARED_BUFFER_BYTES), from: 0, to: 0 };
    }
    chunk.copy(this.smallChunks.buffer, this.smallChunks.to);
    this.smallChunks.to += chunk.length;
  }

  /** Appends the small chunks, which were copied into the shared buffer, to the buffered chunks. */
  private flushSmall(): void {
    const { buffer, from, to } = this.smallChunks;
    if (to > from) this.bufferedChunks.push(buffer.subarray(from, to));
    this.smallChunks.from = to;
  }

  private readonly onAbort = (): void => this.endReading();

  private endReading(failure?: Error): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.failure = failure;
    if (!this.source.readableEnded) this.source.pause();
    this.notify?.();
  }
}
