/**
 * A staged blob in an object store is a sequence of segments, one object each. Parts of an unfinished multipart upload
 * could not be read back, but an upload that resumes after a restart must hash the stored bytes again.
 *
 * The name of a segment contains its offset and an epoch. Taking over a blob from its writer starts a new epoch at that
 * offset; segments that the old writer still adds belong to the old epoch and are ignored.
 */
export interface Segment {
  /** Full name of the object. */
  name: string;
  epoch: number;
  /** First byte within the blob. */
  offset: number;
  /** Bytes. */
  size: number;
  /** As returned by the store, including quotes. */
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

/** The segments of a chain that can be kept when the blob ends or continues at a given byte. */
export interface TruncatedChain extends SegmentChain {
  /** The next segment, which must be rewritten: it extends beyond that byte, or is smaller than the minimum size. */
  tail?: Segment;
}

const NAME = /\/(\d{4})-(\d{14})$/;

export function segmentName(prefix: string, epoch: number, offset: number): string {
  return `${prefix}${String(epoch).padStart(4, '0')}-${String(offset).padStart(14, '0')}`;
}

export function parseSegment({ name, size, etag }: { name: string; size: number; etag: string }): Segment | undefined {
  const [, epoch, offset] = NAME.exec(name) ?? [];
  if (epoch === undefined || offset === undefined) return undefined;
  return { name, epoch: Number(epoch), offset: Number(offset), size, etag };
}

/** Resolves the valid segments: of equal offsets the latest epoch wins, and epochs never decrease along the chain. */
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

/** Returns the segments that can be kept when the blob is to end or to continue at byte `size`. */
export function truncateChain({ segments, epoch }: SegmentChain, size: number, minBytes: number): TruncatedChain {
  const first = segments.findIndex((segment) => segment.size < minBytes || segment.offset + segment.size > size);
  const kept = first < 0 ? [...segments] : segments.slice(0, first);
  const tail = first < 0 ? undefined : segments[first];
  return { segments: kept, epoch, size: kept.reduce((sum, segment) => sum + segment.size, 0), tail };
}
