import type { Readable } from 'node:stream';
import { BlobSourceAbortedError, BlobTooLargeError, type AppendOptions, type ByteObserver } from '../blob-store.js';
import { BufferedSourceReader } from '../buffered-source-reader.js';
import type { S3Bucket } from './s3-bucket.js';

/**
 * A staged blob in an object store is a sequence of segments, each of them one object. A staged blob is not a multipart
 * upload, because the parts of an unfinished multipart upload cannot be read. An upload that resumes after a restart
 * must hash the stored bytes again.
 *
 * The name of a segment contains its offset and an epoch. When a blob is taken over from its writer, a new epoch starts
 * at the offset of the next segment. Segments that the old writer still adds belong to the old epoch and are ignored.
 */
export interface Segment {
  /** Full name of the object. */
  name: string;
  /** How often the blob had been taken over from its writer when this segment was written. */
  epoch: number;
  /** Offset of the first byte of the segment in the blob. */
  offset: number;
  /** Bytes. */
  size: number;
  /** ETag as the store returns it, including quotes. */
  etag: string;
}

/** The segments that form the blob, in order. */
export interface SegmentChain {
  segments: Segment[];
  /** Epoch for new segments. */
  epoch: number;
  /** Bytes. */
  size: number;
}

/** The segments of a chain that can be kept when the blob ends or continues at a given size. */
export interface TruncatedChain extends SegmentChain {
  /**
   * The segment after the kept segments, if it must be rewritten because it extends beyond the given size or is smaller
   * than the minimum size of a part.
   */
  tail?: Segment;
}

const SEGMENT_NAME_PATTERN = /\/(\d{4})-(\d{14})$/;

export function segmentName(prefix: string, epoch: number, offset: number): string {
  return `${prefix}${String(epoch).padStart(4, '0')}-${String(offset).padStart(14, '0')}`;
}

export function parseSegment({ name, size, etag }: { name: string; size: number; etag: string }): Segment | undefined {
  const [, epoch, offset] = SEGMENT_NAME_PATTERN.exec(name) ?? [];
  if (epoch === undefined || offset === undefined) return undefined;
  return { name, epoch: Number(epoch), offset: Number(offset), size, etag };
}

/**
 * Returns the valid segments. Of several segments with the same offset the one of the latest epoch is valid. Epochs
 * never decrease along the chain.
 */
export function resolveChain(segments: readonly Segment[]): SegmentChain {
  const latest = new Map<number, Segment>();
  for (const segment of segments) {
    if (segment.epoch >= (latest.get(segment.offset)?.epoch ?? 0)) latest.set(segment.offset, segment);
  }
  const chain: SegmentChain = { segments: [], epoch: 0, size: 0 };
  for (let next = latest.get(0); next && next.epoch >= chain.epoch; next = latest.get(chain.size)) {
    chain.segments.push(next);
    chain.epoch = next.epoch;
    chain.size += next.size;
    if (next.size === 0) break;
  }
  return chain;
}

/** Returns the segments that can be kept when the blob must end or continue at byte `size`. */
export function truncateChain({ segments, epoch }: SegmentChain, size: number, minBytes: number): TruncatedChain {
  const first = segments.findIndex((segment) => segment.size < minBytes || segment.offset + segment.size > size);
  const kept = first < 0 ? [...segments] : segments.slice(0, first);
  const tail = first < 0 ? undefined : segments[first];
  return { segments: kept, epoch, size: kept.reduce((sum, segment) => sum + segment.size, 0), tail };
}

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
