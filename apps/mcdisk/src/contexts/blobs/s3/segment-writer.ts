import type { Readable } from 'node:stream';
import { BlobSourceAbortedError, BlobTooLargeError } from '../blob-store.js';
import type { AppendOptions } from '../blob-store.js';
import { BufferedSourceReader } from '../buffered-source-reader.js';
import type { ByteObserver } from '../staged-blob-inspector.js';
import { segmentName } from './segment-chain.js';
import type { S3Bucket } from './s3-bucket.js';

/** Where pieces go on. */
export interface SegmentStart {
  /** Name that all pieces of the blob begin with. */
  folder: string;
  epoch: number;
  /** First byte of the next piece. */
  offset: number;
  /** Bytes that were kept at this place before, and are written again with what follows. */
  tail: Buffer;
  /** The piece at this place has more than the tail. */
  stale: boolean;
}

/** What of {@link AppendOptions} concerns the pieces. */
export interface SegmentOptions extends Pick<AppendOptions, 'maxBytes' | 'onDurable' | 'signal'> {
  hash: ByteObserver;
  /** Bytes of a piece. */
  pieceBytes: number;
}

/** Puts what arrives into the bucket piece by piece; the next one is gathered while one is on its way. */
export class SegmentWriter {
  private gathered: Buffer[];
  private gatheredBytes: number;
  private offset: number;
  private changed: boolean;
  private sending: Promise<void> | undefined;
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly bucket: S3Bucket,
    private readonly start: SegmentStart,
    private readonly options: SegmentOptions,
  ) {
    this.gathered = [start.tail];
    this.gatheredBytes = start.tail.length;
    this.offset = start.offset;
    this.changed = start.stale;
  }

  /** Bytes of the blob; all of them are lasting once {@link run} has ended without another error than the source's. */
  get size(): number {
    return this.offset;
  }

  /**
   * Writes all that comes.
   * @returns bytes of the blob now
   * @throws BlobTooLargeError, BlobSourceAbortedError after all that came before is lasting
   */
  async run(source: Readable): Promise<number> {
    const reader = new BufferedSourceReader(source, this.options.maxBytes, this.options.signal);
    try {
      const broken = await this.receive(reader);
      await this.finish();
      if (broken) throw broken;
      return this.offset;
    } finally {
      reader.release();
      await this.sending;
    }
  }

  private async receive(reader: BufferedSourceReader): Promise<BlobTooLargeError | BlobSourceAbortedError | undefined> {
    try {
      for (let chunks = await reader.read(); chunks; chunks = await reader.read()) {
        for (const chunk of chunks) {
          this.options.hash.update(chunk);
          await this.gather(chunk);
        }
      }
      return undefined;
    } catch (error) {
      if (error instanceof BlobTooLargeError || error instanceof BlobSourceAbortedError) return error;
      throw error;
    }
  }

  private async gather(chunk: Buffer): Promise<void> {
    let rest = chunk;
    while (rest.length > 0) {
      const part = rest.subarray(0, this.options.pieceBytes - this.gatheredBytes);
      this.gathered.push(part);
      this.gatheredBytes += part.length;
      this.changed = true;
      if (this.gatheredBytes >= this.options.pieceBytes) await this.send(true);
      rest = rest.subarray(part.length);
    }
  }

  /** One piece is on its way at a time, so that those before it are lasting when it is. */
  private async send(tell: boolean): Promise<void> {
    await this.sending;
    if (this.failure) throw this.failure.error;
    const body = Buffer.concat(this.gathered);
    const name = segmentName(this.start.folder, this.start.epoch, this.offset);
    this.offset += body.length;
    this.gathered = [];
    this.gatheredBytes = 0;
    this.changed = false;
    this.sending = this.put(name, body, tell ? this.offset : undefined);
  }

  private async put(name: string, body: Buffer, size?: number): Promise<void> {
    try {
      await this.bucket.put(name, body);
      if (size !== undefined) await this.options.onDurable?.(size);
    } catch (error) {
      this.failure = { error };
    }
  }

  /** An empty blob is an empty piece. */
  private async finish(): Promise<void> {
    if (this.changed || this.offset + this.gatheredBytes === 0) await this.send(false);
    else this.offset += this.gatheredBytes;
    await this.sending;
    if (this.failure) throw this.failure.error;
  }
}
