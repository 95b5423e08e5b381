/**
 * A box of ISO 14496-12: its type and its byte offsets in the file. The body starts at `bodyStart`, after the header.
 */
export interface Box {
  type: string;
  start: number;
  bodyStart: number;
  end: number;
}

/** The file is not a readable video. */
export class UnreadableVideoError extends Error {
  override readonly name = 'UnreadableVideoError';
}

const HEADER_BYTES = 8;
const LARGE_HEADER_BYTES = 16;
/** Maximum number of boxes in one box; real videos have at most hundreds. */
const MAX_BOXES = 20_000;
/**
 * Reads the header of a box (4.2 of ISO 14496-12).
 * @param bytes at least the header, from the first byte of the box
 * @param start offset of the box
 * @param limit end of the enclosing box or file
 * @returns `undefined` when the bytes are no valid box, because the box is too short or extends beyond `limit`
 */
export function readBoxHeader(bytes: Buffer, start: number, limit: number): Box | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const type = bytes.toString('latin1', 4, 8);
  const size = bytes.readUInt32BE(0);
  if (size === 0) return { type, start, bodyStart: start + HEADER_BYTES, end: limit };
  if (size !== 1) return withinLimit({ type, start, bodyStart: start + HEADER_BYTES, end: start + size }, limit);
  if (bytes.length < LARGE_HEADER_BYTES) return undefined;
  const end = start + Number(bytes.readBigUInt64BE(HEADER_BYTES));
  return withinLimit({ type, start, bodyStart: start + LARGE_HEADER_BYTES, end }, limit);
}

/**
 * Lists the boxes in another box, in order.
 * @param bytes a part of the file that contains the box
 * @param origin offset of `bytes` in the file
 * @throws UnreadableVideoError
 */
export function listBoxes(bytes: Buffer, origin: number, { bodyStart, end }: Pick<Box, 'bodyStart' | 'end'>): Box[] {
  const boxes: Box[] = [];
  for (let position = bodyStart; position < end;) {
    const header = bytes.subarray(position - origin, Math.min(position - origin + LARGE_HEADER_BYTES, end - origin));
    // QuickTime terminates some lists with four zero bytes.
    if (header.length === 4 && header.readUInt32BE(0) === 0) return boxes;
    const box = readBoxHeader(header, position, end);
    if (!box) throw new UnreadableVideoError(`No box at ${position}`);
    if (boxes.length === MAX_BOXES) throw new UnreadableVideoError('Too many boxes');
    boxes.push(box);
    position = box.end;
  }
  return boxes;
}

function withinLimit(box: Box, limit: number): Box | undefined {
  return box.end >= box.bodyStart && box.end <= limit ? box : undefined;
}

/** Bytes with random access. */
export interface RandomAccessBytes {
  /** Bytes. */
  size: number;
  read(start: number, length: number): Promise<Buffer>;
}

/** A box of the file, whose bytes are loaded only for movie headers and fragment headers. */
export interface Mp4Box extends Box {
  bytes?: Buffer;
}

/** A file of ISO 14496-12 (MP4, 3GP, QuickTime): its boxes in order, and the offset where they end. */
export interface Mp4File {
  boxes: Mp4Box[];
  moov: Mp4Box & { bytes: Buffer };
  /** Offset after the last box; usually the end of the file. */
  end: number;
  /** Bytes. */
  size: number;
}

/** Maximum size of an index that is read, bytes: of the movie header, or of the header of one fragment. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** Maximum total size of all fragment headers, bytes. */
const MAX_FRAGMENT_HEADER_BYTES = 64 * 1024 * 1024;
const MAX_FILE_BOXES = 10_000;

/**
 * Reads the boxes of a file and its indexes, but none of its media data.
 * @throws UnreadableVideoError
 */
export async function readMp4(source: RandomAccessBytes): Promise<Mp4File> {
  const boxes: Mp4Box[] = [];
  let position = 0;
  let fragmentHeaderBytes = 0;
  while (position < source.size) {
    const box = await nextBox(source, position);
    if (!box) break;
    if (boxes.length === MAX_FILE_BOXES) throw new UnreadableVideoError('Too many boxes');
    if (box.type === 'moov' || box.type === 'moof') {
      const length = box.end - box.start;
      if (box.type === 'moof') fragmentHeaderBytes += length;
      if (length > MAX_INDEX_BYTES || fragmentHeaderBytes > MAX_FRAGMENT_HEADER_BYTES)
        throw new UnreadableVideoError('Index too large');
      box.bytes = await source.read(box.start, length);
    }
    boxes.push(box);
    position = box.end;
  }
  const [moov, another] = boxes.filter(({ type }) => type === 'moov');
  if (!moov?.bytes || another) throw new UnreadableVideoError('A video must have exactly one movie header');
  return { boxes, moov: { ...moov, bytes: moov.bytes }, end: position, size: source.size };
}

async function nextBox(source: RandomAccessBytes, position: number): Promise<Mp4Box | undefined> {
  const header = await source.read(position, Math.min(LARGE_HEADER_BYTES, source.size - position));
  const box = readBoxHeader(header, position, source.size);
  if (box || header.toString('latin1', 4, 8) !== 'mdat') return box;
  // The last box of a truncated recording ends with the file; the part before this box is a valid video.
  return { type: 'mdat', start: position, bodyStart: position + HEADER_BYTES, end: source.size };
}

const STSC_HEADER_BYTES = 8;
const STSC_ENTRY_BYTES = 12;
const STSZ_HEADER_BYTES = 12;
const STSZ_ENTRY_BYTES = 4;

/**
 * Returns the length of each chunk of a track: the sum of its sample sizes (8.7.3 and 8.7.4 of ISO 14496-12).
 * @param stsc body of the sample-to-chunk box
 * @param stsz body of the sample size box
 * @param chunkCount number of chunks
 * @returns `undefined` when the exact lengths are unknown, as with a single size for all samples, which is only a
 * nominal size for sound in QuickTime
 */
export function chunkLengths(stsc: Buffer, stsz: Buffer, chunkCount: number): number[] | undefined {
  if (stsc.length < STSC_HEADER_BYTES || stsz.length < STSZ_HEADER_BYTES || stsz.readUInt32BE(4) !== 0)
    return undefined;
  const runs = stsc.readUInt32BE(4);
  const samples = stsz.readUInt32BE(8);
  if (runs === 0 || stsc.length < STSC_HEADER_BYTES + runs * STSC_ENTRY_BYTES) return undefined;
  if (stsz.length < STSZ_HEADER_BYTES + samples * STSZ_ENTRY_BYTES) return undefined;
  const runField = (run: number, field: number) =>
    stsc.readUInt32BE(STSC_HEADER_BYTES + run * STSC_ENTRY_BYTES + field * 4);
  const lengths: number[] = [];
  let [run, sample] = [0, 0];
  for (let chunk = 1; chunk <= chunkCount; chunk += 1) {
    while (run + 1 < runs && runField(run + 1, 0) <= chunk) run += 1;
    const end = sample + runField(run, 1);
    if (end > samples) return undefined;
    let length = 0;
    for (; sample < end; sample += 1) length += stsz.readUInt32BE(STSZ_HEADER_BYTES + sample * STSZ_ENTRY_BYTES);
    lengths.push(length);
  }
  return sample === samples ? lengths : undefined;
}
