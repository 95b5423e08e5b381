import { Transform } from 'node:stream';
import { UnreadableVideoError, listBoxes, chunkLengths, type Box, type Mp4File } from '../../storage/blobs/mp4-file.js';

/**
 * The boxes needed for playback, by enclosing box. Boxes that playback does not need may contain a location and are
 * removed.
 */
const KEPT_BOX_TYPES: Readonly<Record<string, readonly string[]>> = {
  file: ['ftyp', 'styp', 'moov', 'mdat', 'moof', 'sidx', 'ssix', 'mfra', 'wide', 'pdin'],
  moov: ['mvhd', 'trak', 'mvex', 'iods'],
  trak: ['tkhd', 'tref', 'edts', 'tapt', 'mdia'],
  mdia: ['mdhd', 'hdlr', 'minf', 'elng'],
  minf: ['vmhd', 'smhd', 'gmhd', 'nmhd', 'hdlr', 'dinf', 'stbl'],
  stbl: [
    'stsd',
    'stts',
    'ctts',
    'cslg',
    'stss',
    'stps',
    'stsc',
    'stsz',
    'stz2',
    'stco',
    'co64',
    'sdtp',
    'sbgp',
    'sgpd',
  ],
  moof: ['mfhd', 'traf'],
  traf: ['tfhd', 'tfdt', 'trun', 'sdtp', 'sbgp', 'sgpd'],
};
const CONTAINER_BOX_TYPES = new Set(['trak', 'mdia', 'minf', 'stbl', 'traf']);
/**
 * Handler types of the tracks that are kept. Tracks with other handlers, also subtitles, can contain locations that
 * cameras, phones and drones record.
 */
const KEPT_HANDLER_TYPES = new Set(['vide', 'soun']);
const MAX_CHUNKS = 300_000;
const COMPACT_BOX_HEADER_BYTES = 8;

/** A run of samples of one track. The last sample ends at `end`; without `end` the chunk extends to the next chunk. */
interface SampleChunk {
  start: number;
  end?: number;
  isKept: boolean;
}

interface Track {
  isKept: boolean;
  chunks: readonly SampleChunk[];
}

/**
 * Returns the patches that reduce a video to pictures and sound. Every box that playback does not need becomes an empty
 * box of the same size (`free`, 8.1.2 of ISO 14496-12). Tracks that are neither picture nor sound also become empty
 * boxes, and their samples become zeros. Bytes between samples, where dash cameras write locations, become zeros. No
 * byte changes its offset, so all offsets in the file stay valid.
 * @returns patches in order, without overlaps
 * @throws UnreadableVideoError when the patches cannot be determined
 */
export function metadataPatches(video: Mp4File): Patch[] {
  const patches: Patch[] = [];
  const tracks: Track[] = [];
  for (const box of video.boxes) {
    if (!KEPT_BOX_TYPES['file']?.includes(box.type)) patches.push(emptyBox(box, headerOf(box)));
    else if (box.bytes) emptyUnneededBoxes(box, { bytes: box.bytes, origin: box.start, patches, tracks });
  }
  patches.push(...removedSamples(video, tracks));
  if (video.end < video.size) patches.push(emptyRest(video.end, video.size));
  return patches.sort((a, b) => a.start - b.start);
}

/** An index of the file, with the patches and tracks that were found in the file so far. */
interface IndexContext {
  bytes: Buffer;
  /** Offset of `bytes` in the file. */
  origin: number;
  patches: Patch[];
  tracks: Track[];
}

function emptyUnneededBoxes(parent: Box, context: IndexContext): void {
  const { bytes, origin, patches, tracks } = context;
  for (const box of listBoxes(bytes, origin, parent)) {
    const track = box.type === 'trak' ? readTrack(box, context) : undefined;
    if (track) tracks.push(track);
    if (track?.isKept === false || !KEPT_BOX_TYPES[parent.type]?.includes(box.type)) {
      patches.push(emptyBox(box, bytes.subarray(box.start - origin, box.bodyStart - origin)));
    } else if (CONTAINER_BOX_TYPES.has(box.type)) {
      emptyUnneededBoxes(box, context);
    }
  }
}

function readTrack(trak: Box, { bytes, origin }: IndexContext): Track {
  const childrenOf = (parents: Box[], type: string) =>
    parents.flatMap((parent) => listBoxes(bytes, origin, parent)).filter((box) => box.type === type);
  const bodyOf = ({ bodyStart, end }: Box) => bytes.subarray(bodyStart - origin, end - origin);
  const media = childrenOf([trak], 'mdia');
  const tables = childrenOf(childrenOf(media, 'minf'), 'stbl');
  const handlers = childrenOf(media, 'hdlr').map((box) => bodyOf(box).toString('latin1', 8, 12));
  const isKept = handlers.length === 1 && KEPT_HANDLER_TYPES.has(handlers[0] ?? '');
  const starts = [
    ...childrenOf(tables, 'stco').flatMap((box) => offsetsIn(bodyOf(box), 4)),
    ...childrenOf(tables, 'co64').flatMap((box) => offsetsIn(bodyOf(box), 8)),
  ];
  const [[runs, ...moreRuns], [sizes, ...moreSizes]] = [childrenOf(tables, 'stsc'), childrenOf(tables, 'stsz')];
  const isExact = runs && sizes && moreRuns.length + moreSizes.length === 0 && tables.length === 1;
  const lengths = isExact ? chunkLengths(bodyOf(runs), bodyOf(sizes), starts.length) : undefined;
  const endOf = (start: number, length: number | undefined) => (length === undefined ? {} : { end: start + length });
  return { isKept, chunks: starts.map((start, index) => ({ start, isKept, ...endOf(start, lengths?.[index]) })) };
}

/** Reads the chunk offsets (8.7.5 of ISO 14496-12). */
function offsetsIn(body: Buffer, width: 4 | 8): number[] {
  const count = body.length < 8 ? 0 : body.readUInt32BE(4);
  if (count > MAX_CHUNKS || body.length < 8 + count * width)
    throw new UnreadableVideoError('Invalid chunk offset table');
  return Array.from({ length: count }, (_, index) => {
    const position = 8 + index * width;
    return width === 4 ? body.readUInt32BE(position) : Number(body.readBigUInt64BE(position));
  });
}

/** Returns patches for all media data that does not belong to a kept track. */
function removedSamples({ boxes }: Mp4File, tracks: readonly Track[]): Patch[] {
  const chunks = tracks.flatMap((track) => track.chunks);
  const isFragmented = boxes.some(({ type }) => type === 'moof');
  if (tracks.every(({ isKept }) => isKept)) {
    // Without exact chunk lengths the media data stays unchanged, because overwriting samples would destroy the video.
    if (isFragmented || chunks.length === 0 || chunks.some(({ end }) => end === undefined)) return [];
  } else if (isFragmented) throw new UnreadableVideoError('A track cannot be removed from a fragmented video');
  if (chunks.length > MAX_CHUNKS) throw new UnreadableVideoError('Too many chunks');
  // When a kept and a removed chunk have the same offset, the data is kept.
  chunks.sort((a, b) => a.start - b.start || Number(a.isKept) - Number(b.isKept));
  let next = 0;
  return boxes
    .filter(({ type }) => type === 'mdat')
    .flatMap((data) => {
      const within: SampleChunk[] = [];
      for (let chunk = chunks[next]; chunk && chunk.start < data.end; chunk = chunks[(next += 1)]) {
        if (chunk.start >= data.bodyStart) within.push(chunk);
      }
      return removedRanges(data, within);
    });
}

function removedRanges({ bodyStart, end }: Box, within: readonly SampleChunk[]): Patch[] {
  const runs: SampleChunk[] = [{ start: bodyStart, isKept: false }, ...within];
  let keptUntil = bodyStart;
  return runs.flatMap((run, index) => {
    const next = runs[index + 1]?.start ?? end;
    if (run.isKept) keptUntil = Math.max(keptUntil, run.end ?? next);
    const start = run.isKept ? Math.max(run.start, keptUntil) : run.start;
    return start >= next ? [] : [{ start, end: next }];
  });
}

/** Turns the bytes after the last box into an empty box, so that players accept the file. */
function emptyRest(start: number, end: number): Patch {
  if (end - start < COMPACT_BOX_HEADER_BYTES) return { start, end };
  const rest = { type: 'free', start, bodyStart: start + COMPACT_BOX_HEADER_BYTES, end };
  return emptyBox(rest, headerOf(rest));
}

/**
 * Returns a patch that turns a box into an empty box (`free`) of the same size, with a header of the same length.
 */
function emptyBox({ start, end }: Box, header: Buffer): Patch {
  const head = Buffer.from(header);
  head.write('free', 4, 'latin1');
  return { start, end, head };
}

/** Builds the header of a box from its offsets, for boxes whose bytes were not read. */
function headerOf({ start, bodyStart, end }: Box): Buffer {
  const header = Buffer.alloc(bodyStart - start);
  if (header.length === COMPACT_BOX_HEADER_BYTES)
    header.writeUInt32BE(end - start <= 0xff_ff_ff_ff ? end - start : 0, 0);
  else {
    header.writeUInt32BE(1, 0);
    header.writeBigUInt64BE(BigInt(end - start), 8);
  }
  return header;
}

/** A range of a file to overwrite: with `head` from `start` on, and with zeros after that up to `end`. */
export interface Patch {
  start: number;
  end: number;
  head?: Buffer;
}

/**
 * Returns a transform that overwrites the patched ranges; the length does not change.
 * @param patches in order, without overlaps
 */
export function applyPatches(patches: readonly Patch[]): Transform {
  let position = 0;
  let next = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const end = position + chunk.length;
      let patched: Buffer | undefined;
      for (let patch = patches[next]; patch && patch.start < end; patch = patches[next]) {
        patched ??= Buffer.from(chunk);
        apply(patch, patched, position);
        if (patch.end > end) break;
        next += 1;
      }
      position = end;
      done(null, patched ?? chunk);
    },
  });
}

/**
 * Overwrites the part of the range that is in `bytes`.
 * @param origin offset of `bytes` in the file
 */
function apply({ start, end, head }: Patch, bytes: Buffer, origin: number): void {
  const from = Math.max(start - origin, 0);
  bytes.fill(0, from, Math.min(end - origin, bytes.length));
  const skipped = Math.max(origin - start, 0);
  if (head && skipped < head.length) head.copy(bytes, from, skipped);
}
