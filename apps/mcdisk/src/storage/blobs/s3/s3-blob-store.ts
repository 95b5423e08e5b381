import { Readable } from 'node:stream';
import {
  BlobSourceAbortedError,
  BlobMissingError,
  BlobStore,
  StoreFullError,
  StagedBlobInspector,
  type AppendOptions,
  type ByteRange,
  type StagedBlob,
  type StoredBlob,
} from '../blob-store.js';
import {
  resolveChain,
  truncateChain,
  parseSegment,
  segmentName,
  SegmentWriter,
  type TruncatedChain,
  type Segment,
} from './segments.js';
import { S3Bucket, type S3Settings } from './s3-bucket.js';
import { S3Layout, listS3Blobs } from './s3-layout.js';

/** Sizes of the objects in which a blob is stored. */
export interface SegmentSizes {
  /**
   * Size of a segment in bytes. A lost segment is uploaded again, and an upload buffers up to two segments in memory.
   */
  segmentBytes: number;
  /** Minimum size in bytes that the store requires of every part of an object except the last part. */
  minPartBytes: number;
}

const DEFAULT_SEGMENT_SIZES: SegmentSizes = { segmentBytes: 8 * 1024 * 1024, minPartBytes: 5 * 1024 * 1024 };
const MAX_CONCURRENT_DELETIONS = 16;

/**
 * Stores blobs in a bucket. A staged blob consists of the objects `staging/<key>/<segment>`, and a promoted blob is the
 * object `live/<key>`. {@link Segment} describes how a blob grows; `promote` composes the segments into one object,
 * without a download.
 */
export class S3BlobStore extends BlobStore {
  private readonly bucket: S3Bucket;
  private readonly layout: S3Layout;

  constructor(
    settings: S3Settings,
    private readonly sizes = DEFAULT_SEGMENT_SIZES,
  ) {
    super();
    this.bucket = new S3Bucket(settings);
    this.layout = new S3Layout(settings.prefix);
  }

  async stage(key: string, source: Readable, maxBytes: number): Promise<StagedBlob> {
    const prefix = this.layout.stagedPrefix(key);
    // Not every store supports conditional requests. Keys are random, so only a bug can cause an existing segment.
    if ((await this.bucket.sizeOf(segmentName(prefix, 0, 0))) !== undefined)
      throw new Error('A blob key must not be reused');
    const inspector = new StagedBlobInspector();
    const start = { prefix, epoch: 0, offset: 0, tail: Buffer.alloc(0), isStoredSegmentLonger: false };
    try {
      await new SegmentWriter(this.bucket, start, { ...this.sizes, maxBytes, hash: inspector }).run(source);
      return inspector.result();
    } catch (error) {
      // Segments of a blob that does not fit must not occupy space that other uploads need.
      if (error instanceof StoreFullError) await this.removeSegments(prefix).catch(() => undefined);
      throw error;
    }
  }

  async append(key: string, source: Readable, options: AppendOptions): Promise<number> {
    const prefix = this.layout.stagedPrefix(key);
    const segments = await this.listSegments(prefix);
    const truncated = this.truncateAt(segments, options.offset);
    await this.removeAll(unusedSegments(segments, truncated));
    const tail = await this.readTail(truncated, options.offset);
    const isStoredSegmentLonger = truncated.tail !== undefined && truncated.tail.size !== tail.length;
    const start = { prefix, epoch: truncated.epoch, offset: truncated.size, tail, isStoredSegmentLonger };
    const writer = new SegmentWriter(this.bucket, start, { ...options, ...this.sizes });
    try {
      return await writer.run(source);
    } catch (error) {
      if (error instanceof BlobSourceAbortedError) return writer.size;
      throw error;
    }
  }

  /**
   * Starts a new epoch with the bytes after the last complete segment. The old writer never writes segments of the new
   * epoch.
   */
  async replaceWriter(key: string, size: number): Promise<void> {
    const prefix = this.layout.stagedPrefix(key);
    const segments = await this.listSegments(prefix);
    const truncated = this.truncateAt(segments, size);
    await this.bucket.put(
      segmentName(prefix, truncated.epoch + 1, truncated.size),
      await this.readTail(truncated, size),
    );
    await this.removeAll(segments.filter((segment) => !truncated.segments.includes(segment)));
  }

  async openStaged(key: string): Promise<Readable> {
    const { segments } = resolveChain(await this.listSegments(this.layout.stagedPrefix(key)));
    if (segments.length === 0) throw new BlobMissingError('The store does not have this blob');
    return Readable.from(this.readSegments(segments), { objectMode: false });
  }

  async promote(key: string, size?: number): Promise<void> {
    const [prefix, target] = [this.layout.stagedPrefix(key), this.layout.promotedName(key)];
    const [segments, promoted] = await Promise.all([this.listSegments(prefix), this.bucket.sizeOf(target)]);
    const chain = resolveChain(segments);
    const present = promoted ?? chain.size;
    if (size !== undefined && present !== size) throw new BlobMissingError('The stored blob has a different size');
    // If the blob is already promoted, its segments are left from an interrupted promotion, which may have deleted some
    // of them.
    if (promoted === undefined) {
      const sources = chain.segments.length > 1 ? chain.segments.filter((segment) => segment.size > 0) : chain.segments;
      if (sources.length === 0) throw new BlobMissingError('The store does not have this blob');
      await this.bucket.compose(sources, target);
    }
    await this.removeAll(segments);
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    return this.bucket.get(this.layout.promotedName(key), range);
  }

  async read(key: string, range: ByteRange): Promise<Buffer> {
    return this.bucket.read(this.layout.promotedName(key), range);
  }

  relativePathOf(): undefined {
    return undefined;
  }

  list(): AsyncIterable<StoredBlob> {
    return listS3Blobs(this.bucket, this.layout);
  }

  async discard(key: string): Promise<void> {
    const [prefix, target] = [this.layout.stagedPrefix(key), this.layout.promotedName(key)];
    await this.removeSegments(prefix);
    await this.bucket.remove(target);
    for await (const unfinished of this.bucket.listUnfinishedUploads(target))
      await this.bucket.abortMultipartUpload(unfinished);
  }

  private async listSegments(prefix: string): Promise<Segment[]> {
    const segments: Segment[] = [];
    for await (const object of this.bucket.list(prefix)) {
      const segment = parseSegment(object);
      if (segment) segments.push(segment);
    }
    return segments;
  }

  private truncateAt(segments: readonly Segment[], size: number): TruncatedChain {
    const chain = resolveChain(segments);
    if (chain.size < size) throw new BlobMissingError('The store has lost bytes of this blob');
    return truncateChain(chain, size, this.sizes.minPartBytes);
  }

  private async readTail({ tail, size }: TruncatedChain, end: number): Promise<Buffer> {
    if (!tail || end === size) return Buffer.alloc(0);
    return this.bucket.read(tail.name, { start: 0, end: end - size - 1 });
  }

  private async *readSegments(segments: readonly Segment[]): AsyncGenerator<Buffer> {
    for (const { name, size } of segments) if (size > 0) yield* await this.bucket.get(name);
  }

  private async removeSegments(prefix: string): Promise<void> {
    await this.removeAll(await this.listSegments(prefix));
  }

  private async removeAll(segments: readonly Segment[]): Promise<void> {
    for (let first = 0; first < segments.length; first += MAX_CONCURRENT_DELETIONS) {
      const batch = segments.slice(first, first + MAX_CONCURRENT_DELETIONS);
      await Promise.all(batch.map(({ name }) => this.bucket.remove(name)));
    }
  }
}

/**
 * Returns the segments that are neither kept nor the tail. These segments are after the end of the blob or from an
 * earlier epoch.
 */
function unusedSegments(segments: readonly Segment[], { segments: kept, tail }: TruncatedChain): Segment[] {
  return segments.filter((segment) => segment !== tail && !kept.includes(segment));
}
