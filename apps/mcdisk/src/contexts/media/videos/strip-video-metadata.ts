import { UnreadableVideoError, boxesIn } from './box.js';
import type { Box } from './box.js';
import { chunkLengths } from './chunk-lengths.js';
import type { Mp4File } from './mp4-file.js';
import type { Patch } from './patch.js';

/** What a film needs to be played, by the box it lies in. Whatever else there is may say where it was taken. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
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
const CONTAINERS = new Set(['trak', 'mdia', 'minf', 'stbl', 'traf']);

/** Pictures and sound; the tracks of cameras, telephones and drones beside them tell positions, subtitles included. */
const KEPT_TRACKS = new Set(['vide', 'soun']);
const MAX_CHUNKS = 300_000;
const SHORT_HEADER = 8;

/** A run of samples of one track. `end`: where its last sample ends, if that is told; else it goes on to the next run. */
interface Chunk {
  start: number;
  end?: number;
  isKept: boolean;
}

interface Track {
  isKept: boolean;
  chunks: readonly Chunk[];
}

/**
 * What has to be overwritten so that of a film only what is seen and heard remains: every box that playing does not
 * need becomes an empty one of its size (`free`, 8.1.2 of ISO 14496-12), and so do tracks that are neither picture nor
 * sound, with their samples, and what lies between samples, where cameras in cars write positions. Nothing moves, so every offset of the file stays right.
 * @returns in order, without overlaps
 * @throws UnreadableVideoError when that cannot be told
 */
export function metadataPatches(film: Mp4File): Patch[] {
  const patches: Patch[] = [];
  const tracks: Track[] = [];
  for (const box of film.boxes) {
    if (!KEPT['file']?.includes(box.type)) patches.push(emptied(box, headerOf(box)));
    else if (box.bytes) clear(box, { bytes: box.bytes, origin: box.start, patches, tracks });
  }
  patches.push(...foreignSamples(film, tracks));
  if (film.end < film.size) patches.push(emptiedRest(film.end, film.size));
  return patches.sort((a, b) => a.start - b.start);
}

interface Clearing {
  bytes: Buffer;
  /** Where in the file `bytes` begin. */
  origin: number;
  patches: Patch[];
  tracks: Track[];
}

function clear(parent: Box, clearing: Clearing): void {
  const { bytes, origin, patches, tracks } = clearing;
  for (const box of boxesIn(bytes, origin, parent)) {
    const track = box.type === 'trak' ? readTrack(box, clearing) : undefined;
    if (track) tracks.push(track);
    if (track?.isKept === false || !KEPT[parent.type]?.includes(box.type)) {
      patches.push(emptied(box, bytes.subarray(box.start - origin, box.bodyStart - origin)));
    } else if (CONTAINERS.has(box.type)) {
      clear(box, clearing);
    }
  }
}

function readTrack(trak: Box, { bytes, origin }: Clearing): Track {
  const childrenOf = (parents: Box[], type: string) =>
    parents.flatMap((parent) => boxesIn(bytes, origin, parent)).filter((box) => box.type === type);
  const bodyOf = ({ bodyStart, end }: Box) => bytes.subarray(bodyStart - origin, end - origin);
  const media = childrenOf([trak], 'mdia');
  const tables = childrenOf(childrenOf(media, 'minf'), 'stbl');
  const handlers = childrenOf(media, 'hdlr').map((box) => bodyOf(box).toString('latin1', 8, 12));
  const isKept = handlers.length === 1 && KEPT_TRACKS.has(handlers[0] ?? '');
  const starts = [
    ...childrenOf(tables, 'stco').flatMap((box) => offsetsIn(bodyOf(box), 4)),
    ...childrenOf(tables, 'co64').flatMap((box) => offsetsIn(bodyOf(box), 8)),
  ];
  const [[runs, ...moreRuns], [sizes, ...moreSizes]] = [childrenOf(tables, 'stsc'), childrenOf(tables, 'stsz')];
  const areTold = runs && sizes && moreRuns.length + moreSizes.length === 0 && tables.length === 1;
  const lengths = areTold ? chunkLengths(bodyOf(runs), bodyOf(sizes), starts.length) : undefined;
  const endOf = (start: number, length: number | undefined) => (length === undefined ? {} : { end: start + length });
  return { isKept, chunks: starts.map((start, index) => ({ start, isKept, ...endOf(start, lengths?.[index]) })) };
}

/** The chunks' places in the file (8.7.5 of ISO 14496-12). */
function offsetsIn(body: Buffer, width: 4 | 8): number[] {
  const count = body.length < 8 ? 0 : body.readUInt32BE(4);
  if (count > MAX_CHUNKS || body.length < 8 + count * width)
    throw new UnreadableVideoError('A table of chunks is wrong');
  return Array.from({ length: count }, (_, index) => {
    const position = 8 + index * width;
    return width === 4 ? body.readUInt32BE(position) : Number(body.readBigUInt64BE(position));
  });
}

/** All of the film's data that does not belong to a track that is kept. */
function foreignSamples({ boxes }: Mp4File, tracks: readonly Track[]): Patch[] {
  const chunks = tracks.flatMap((track) => track.chunks);
  const isFragmented = boxes.some(({ type }) => type === 'moof');
  if (tracks.every(({ isKept }) => isKept)) {
    // What is not told exactly stays, or the film might not be one any more.
    if (isFragmented || chunks.length === 0 || chunks.some(({ end }) => end === undefined)) return [];
  } else if (isFragmented) throw new UnreadableVideoError('Fragments of other tracks');
  if (chunks.length > MAX_CHUNKS) throw new UnreadableVideoError('Too many chunks');
  // Of two at one place the one that is kept counts.
  chunks.sort((a, b) => a.start - b.start || Number(a.isKept) - Number(b.isKept));
  let next = 0;
  return boxes
    .filter(({ type }) => type === 'mdat')
    .flatMap((data) => {
      const within: Chunk[] = [];
      for (let chunk = chunks[next]; chunk && chunk.start < data.end; chunk = chunks[(next += 1)]) {
        if (chunk.start >= data.bodyStart) within.push(chunk);
      }
      return foreignIn(data, within);
    });
}

function foreignIn({ bodyStart, end }: Box, within: readonly Chunk[]): Patch[] {
  const runs: Chunk[] = [{ start: bodyStart, isKept: false }, ...within];
  let keptUntil = bodyStart;
  return runs.flatMap((run, index) => {
    const next = runs[index + 1]?.start ?? end;
    if (run.isKept) keptUntil = Math.max(keptUntil, run.end ?? next);
    const start = run.isKept ? Math.max(run.start, keptUntil) : run.start;
    return start >= next ? [] : [{ start, end: next }];
  });
}

/** What lies behind the last box becomes one, so that nobody stumbles over it. */
function emptiedRest(start: number, end: number): Patch {
  if (end - start < SHORT_HEADER) return { start, end };
  const rest = { type: 'free', start, bodyStart: start + SHORT_HEADER, end };
  return emptied(rest, headerOf(rest));
}

/** The same box, of the same form and size, as one that says nothing. */
function emptied({ start, end }: Box, header: Buffer): Patch {
  const head = Buffer.from(header);
  head.write('free', 4, 'latin1');
  return { start, end, head };
}

/** The header of a box of the file as its place says, for those whose bytes were not read. */
function headerOf({ start, bodyStart, end }: Box): Buffer {
  const header = Buffer.alloc(bodyStart - start);
  if (header.length === SHORT_HEADER) header.writeUInt32BE(end - start <= 0xff_ff_ff_ff ? end - start : 0, 0);
  else {
    header.writeUInt32BE(1, 0);
    header.writeBigUInt64BE(BigInt(end - start), 8);
  }
  return header;
}
