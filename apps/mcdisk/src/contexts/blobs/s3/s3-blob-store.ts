import { Readable } from 'node:stream';
import { BlobSourceAbortedError, BlobMissingError, BlobStore, StoreFullError } from '../blob-store.js';
import type { AppendOptions, ByteRange, StagedBlob, StoredBlob } from '../blob-store.js';
import { StagedBlobInspector } from '../staged-blob-inspector.js';
import { resolveChain, truncateChain, parseSegment, segmentName } from './segment-chain.js';
import type { TruncatedChain, Segment } from './segment-chain.js';
import { SegmentWriter } from './segment-writer.js';
import { S3Bucket } from './s3-bucket.js';
import { S3Layout } from './s3-layout.js';
import { listS3Blobs } from './s3-listing.js';
import type { S3Settings } from './s3-settings.js';

/** How a blob is cut into objects. */
export interface SegmentSizes {
  /** Bytes of a piece: what is received anew when it is lost, and what an upload holds in memory twice. */
  pieceBytes: number;
  /** What the store wants of every part of an object but the last. */
  minPartBytes: number;
}

const SIZES: SegmentSizes = { pieceBytes: 8 * 1024 * 1024, minPartBytes: 5 * 1024 * 1024 };

const REMOVALS_AT_ONCE = 16;

/**
 * Blobs in a bucket: `staging/<key>/<piece>` while they arrive, `live/<key>` afterwards. {@link Segment} tells how a
 * blob grows; promoting it makes one object of its pieces within the store.
 */
export class S3BlobStore extends BlobStore {
  private readonly bucket: S3Bucket;
  private readonly layout: S3Layout;

  constructor(
    settings: S3Settings,
    private readonly sizes = SIZES,
  ) {
    super();
    this.bucket = new S3Bucket(settings);
    this.layout = new S3Layout(settings.prefix);
  }

  async stage(key: string, source: Readable, maxBytes: number): Promise<StagedBlob> {
    const folder = this.layout.staged(key);
    // Not every store knows conditional requests; keys are random, so this only finds faults of the program.
    if ((await this.bucket.sizeOf(segmentName(folder, 0, 0))) !== undefined) throw new Error('A blob key is used once');
    const facts = new StagedBlobInspector();
    const start = { folder, epoch: 0, offset: 0, tail: Buffer.alloc(0), stale: false };
    try {
      await new SegmentWriter(this.bucket, start, { ...this.sizes, maxBytes, hash: facts }).run(source);
      return facts.result();
    } catch (error) {
      // What does not fit must not keep the room that others need.
      if (error instanceof StoreFullError) await this.removeBelow(folder).catch(() => undefined);
      throw error;
    }
  }

  async append(key: string, source: Readable, options: AppendOptions): Promise<number> {
    const folder = this.layout.staged(key);
    const pieces = await this.piecesIn(folder);
    const cut = this.cutAt(pieces, options.offset);
    await this.removeAll(others(pieces, cut));
    const tail = await this.readTail(cut, options.offset);
    const stale = cut.tail !== undefined && cut.tail.size !== tail.length;
    const start = { folder, epoch: cut.epoch, offset: cut.size, tail, stale };
    const writer = new SegmentWriter(this.bucket, start, { ...options, ...this.sizes });
    try {
      return await writer.run(source);
    } catch (error) {
      if (error instanceof BlobSourceAbortedError) return writer.size;
      throw error;
    }
  }

  /** Begins a new epoch with what lies behind the last whole piece; nobody else writes in that one. */
  async takeOver(key: string, size: number): Promise<void> {
    const folder = this.layout.staged(key);
    const pieces = await this.piecesIn(folder);
    const cut = this.cutAt(pieces, size);
    await this.bucket.put(segmentName(folder, cut.epoch + 1, cut.size), await this.readTail(cut, size));
    await this.removeAll(pieces.filter((piece) => !cut.pieces.includes(piece)));
  }

  async openStaged(key: string): Promise<Readable> {
    const { pieces } = resolveChain(await this.piecesIn(this.layout.staged(key)));
    if (pieces.length === 0) throw new BlobMissingError('The store does not have this blob');
    return Readable.from(this.bytesOf(pieces), { objectMode: false });
  }

  async promote(key: string, size?: number): Promise<void> {
    const [folder, target] = [this.layout.staged(key), this.layout.promoted(key)];
    const [pieces, promoted] = await Promise.all([this.piecesIn(folder), this.bucket.sizeOf(target)]);
    const chain = resolveChain(pieces);
    const present = promoted ?? chain.size;
    if (size !== undefined && present !== size) throw new BlobMissingError('The store has other bytes of this blob');
    // Pieces beside the whole are what an earlier promotion did not get to remove; some of them may be gone.
    if (promoted === undefined) {
      const sources = chain.pieces.length > 1 ? chain.pieces.filter((piece) => piece.size > 0) : chain.pieces;
      if (sources.length === 0) throw new BlobMissingError('The store does not have this blob');
      await this.bucket.compose(sources, target);
    }
    await this.removeAll(pieces);
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    return this.bucket.get(this.layout.promoted(key), range);
  }

  async read(key: string, range: ByteRange): Promise<Buffer> {
    return this.bucket.read(this.layout.promoted(key), range);
  }

  pathOf(): undefined {
    return undefined;
  }

  list(): AsyncIterable<StoredBlob> {
    return listS3Blobs(this.bucket, this.layout);
  }

  async discard(key: string): Promise<void> {
    const [folder, target] = [this.layout.staged(key), this.layout.promoted(key)];
    await this.removeBelow(folder);
    await this.bucket.remove(target);
    for await (const unfinished of this.bucket.listUnfinished(target)) await this.bucket.abandon(unfinished);
  }

  private async piecesIn(folder: string): Promise<Segment[]> {
    const pieces: Segment[] = [];
    for await (const object of this.bucket.list(folder)) {
      const piece = parseSegment(object);
      if (piece) pieces.push(piece);
    }
    return pieces;
  }

  private cutAt(pieces: readonly Segment[], size: number): TruncatedChain {
    const chain = resolveChain(pieces);
    if (chain.size < size) throw new BlobMissingError('The store has lost bytes of this blob');
    return truncateChain(chain, size, this.sizes.minPartBytes);
  }

  private async readTail({ tail, size }: TruncatedChain, end: number): Promise<Buffer> {
    if (!tail || end === size) return Buffer.alloc(0);
    return this.bucket.read(tail.name, { start: 0, end: end - size - 1 });
  }

  private async *bytesOf(pieces: readonly Segment[]): AsyncGenerator<Buffer> {
    for (const { name, size } of pieces) if (size > 0) yield* await this.bucket.get(name);
  }

  private async removeBelow(folder: string): Promise<void> {
    await this.removeAll(await this.piecesIn(folder));
  }

  private async removeAll(pieces: readonly Segment[]): Promise<void> {
    for (let first = 0; first < pieces.length; first += REMOVALS_AT_ONCE) {
      const batch = pieces.slice(first, first + REMOVALS_AT_ONCE);
      await Promise.all(batch.map(({ name }) => this.bucket.remove(name)));
    }
  }
}

/** Pieces that are neither kept nor the tail: beyond the place, or of an earlier epoch. */
function others(pieces: readonly Segment[], { pieces: kept, tail }: TruncatedChain): Segment[] {
  return pieces.filter((piece) => piece !== tail && !kept.includes(piece));
}
