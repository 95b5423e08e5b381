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
