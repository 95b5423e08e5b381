import type { Readable } from 'node:stream';
import { BlobSourceAbortedError, BlobTooLargeError } from '../blob-store.js';
import type { AppendOptions } from '../blob-store.js';
import { BufferedSourceReader } from '../buffered-source-reader.js';
import type { ByteObserver } from '../staged-blob-inspector.js';
import { segmentName } from './segment-chain.js';
import type { S3Bucket } from './s3-bucket.js';

/** The point in a blob at which writing continues. */
export interface SegmentStart {
  /** Prefix of all segments of the blob. */
  prefix: string;
  epoch: number;
  /** First byte of the next segment. */
  offset: number;
  /** Bytes that are already stored at `offset`; they are written again together with the bytes that follow. */
  tail: Buffer;
  /** True when the stored segment at `offset` has more bytes than `tail`. */
  isStoredSegmentLonger: boolean;
}

/** Options of a segment writer, partly those of {@link AppendOptions}. */
export interface SegmentOptions extends Pick<AppendOptions, 'maxBytes' | 'onDurable' | 'signal'> {
  hash: ByteObserver;
  /** Size of a segment in bytes. */
  segmentBytes: number;
}

/** Uploads the received bytes segment by segment. While one segment is uploaded, the next one is buffered. */
export class SegmentWriter {
  private buffered: Buffer[];
  private bufferedBytes: number;
  private offset: number;
  private hasUnstoredBytes: boolean;
  private runningUpload: Promise<void> | undefined;
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly bucket: S3Bucket,
    private readonly start: SegmentStart,
    private readonly options: SegmentOptions,
  ) {
    this.buffered = [start.tail];
    this.bufferedBytes = start.tail.length;
    this.offset = start.offset;
    this.hasUnstoredBytes = start.isStoredSegmentLonger;
  }

  /** Size of the blob in bytes; durable once {@link run} has resolved or failed with an error of the source. */
  get size(): number {
    return this.offset;
  }

  /**
   * Writes all bytes of the source.
   * @returns size of the blob in bytes
   * @throws BlobTooLargeError, BlobSourceAbortedError, both only after all earlier bytes are durable
   */
  async run(source: Readable): Promise<number> {
    const reader = new BufferedSourceReader(source, this.options.maxBytes, this.options.signal);
    try {
      const sourceError = await this.receive(reader);
      await this.finish();
      if (sourceError) throw sourceError;
      return this.offset;
    } finally {
      reader.release();
      await this.runningUpload;
    }
  }

  private async receive(reader: BufferedSourceReader): Promise<BlobTooLargeError | BlobSourceAbortedError | undefined> {
    try {
      for (let chunks = await reader.read(); chunks; chunks = await reader.read()) {
        for (const chunk of chunks) {
          this.options.hash.update(chunk);
          await this.append(chunk);
        }
      }
      return undefined;
    } catch (error) {
      if (error instanceof BlobTooLargeError || error instanceof BlobSourceAbortedError) return error;
      throw error;
    }
  }

  private async append(chunk: Buffer): Promise<void> {
    let remaining = chunk;
    while (remaining.length > 0) {
      const part = remaining.subarray(0, this.options.segmentBytes - this.bufferedBytes);
      this.buffered.push(part);
      this.bufferedBytes += part.length;
      this.hasUnstoredBytes = true;
      if (this.bufferedBytes >= this.options.segmentBytes) await this.uploadNext(true);
      remaining = remaining.subarray(part.length);
    }
  }

  /**
   * Uploads the next segment after the previous one, so that all earlier segments are durable when a segment is
   * durable.
   */
  private async uploadNext(report: boolean): Promise<void> {
    await this.runningUpload;
    if (this.failure) throw this.failure.error;
    const body = Buffer.concat(this.buffered);
    const name = segmentName(this.start.prefix, this.start.epoch, this.offset);
    this.offset += body.length;
    this.buffered = [];
    this.bufferedBytes = 0;
    this.hasUnstoredBytes = false;
    this.runningUpload = this.put(name, body, report ? this.offset : undefined);
  }

  private async put(name: string, body: Buffer, size?: number): Promise<void> {
    try {
      await this.bucket.put(name, body);
      if (size !== undefined) await this.options.onDurable?.(size);
    } catch (error) {
      this.failure = { error };
    }
  }

  /** Uploads the last segment; an empty blob is one empty segment. */
  private async finish(): Promise<void> {
    if (this.hasUnstoredBytes || this.offset + this.bufferedBytes === 0) await this.uploadNext(false);
    else this.offset += this.bufferedBytes;
    await this.runningUpload;
    if (this.failure) throw this.failure.error;
  }
}
