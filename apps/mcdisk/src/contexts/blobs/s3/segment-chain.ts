/**
 * A staged blob in an object store is a row of pieces, one object each: parts of an unfinished multipart upload
 * cannot be read back, and whoever goes on after a restart has to hash again what is there.
 *
 * A piece is named by where it begins and by an epoch. Whoever takes a blob away from its writer begins a new epoch at
 * that place; what the old writer still adds belongs to the old epoch and is not looked at any more.
 */
export interface Segment {
  /** Whole name of the object. */
  name: string;
  epoch: number;
  /** First byte within the blob. */
  offset: number;
  /** Bytes. */
  size: number;
  /** As the store tells it, with its quotes. */
  etag: string;
}

/** The pieces that are the blob, in order. */
export interface SegmentChain {
  pieces: Segment[];
  /** That new pieces belong to. */
  epoch: number;
  /** Bytes. */
  size: number;
}

/** A chain as far as some byte. */
export interface TruncatedChain extends SegmentChain {
  /** The piece behind it, to be written again: it goes beyond that byte, or is too small for anything but the end. */
  tail?: Segment;
}

const NAME = /\/(\d{4})-(\d{14})$/;

export function segmentName(folder: string, epoch: number, offset: number): string {
  return `${folder}${String(epoch).padStart(4, '0')}-${String(offset).padStart(14, '0')}`;
}

export function parseSegment({ name, size, etag }: { name: string; size: number; etag: string }): Segment | undefined {
  const [, epoch, offset] = NAME.exec(name) ?? [];
  if (epoch === undefined || offset === undefined) return undefined;
  return { name, epoch: Number(epoch), offset: Number(offset), size, etag };
}

/** Of pieces that begin at one place the latest epoch counts, and behind a piece no earlier epoch than its own. */
export function resolveChain(pieces: readonly Segment[]): SegmentChain {
  const latest = new Map<number, Segment>();
  for (const piece of pieces) {
    if (piece.epoch >= (latest.get(piece.offset)?.epoch ?? 0)) latest.set(piece.offset, piece);
  }
  const chain: SegmentChain = { pieces: [], epoch: 0, size: 0 };
  for (let next = latest.get(0); next && next.epoch >= chain.epoch; next = latest.get(chain.size)) {
    chain.pieces.push(next);
    chain.epoch = next.epoch;
    chain.size += next.size;
    if (next.size === 0) break;
  }
  return chain;
}

/** The pieces that can stay as they are when the blob is to end, or to go on, at byte `size`. */
export function truncateChain({ pieces, epoch }: SegmentChain, size: number, minBytes: number): TruncatedChain {
  const first = pieces.findIndex((piece) => piece.size < minBytes || piece.offset + piece.size > size);
  const kept = first < 0 ? [...pieces] : pieces.slice(0, first);
  const tail = first < 0 ? undefined : pieces[first];
  return { pieces: kept, epoch, size: kept.reduce((sum, piece) => sum + piece.size, 0), tail };
}
