import { MAX_BOX_HEADER_BYTES, UnreadableVideoError, readBoxHeader } from './box.js';
import type { Box } from './box.js';

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

/** Maximum size of a movie header that is read, bytes. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** Maximum total size of all fragment headers, bytes. */
const MAX_FRAGMENTS_BYTES = 64 * 1024 * 1024;
const MAX_BOXES = 10_000;

/**
 * Reads the boxes of a file and its indexes, but none of its media data.
 * @throws UnreadableVideoError
 */
export async function readMp4(source: RandomAccessBytes): Promise<Mp4File> {
  const boxes: Mp4Box[] = [];
  let position = 0;
  let fragments = 0;
  while (position < source.size) {
    const box = await nextBox(source, position);
    if (!box) break;
    if (boxes.length === MAX_BOXES) throw new UnreadableVideoError('Too many boxes');
    if (box.type === 'moov' || box.type === 'moof') {
      const length = box.end - box.start;
      if (box.type === 'moof') fragments += length;
      if (length > MAX_INDEX_BYTES || fragments > MAX_FRAGMENTS_BYTES)
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
  const header = await source.read(position, Math.min(MAX_BOX_HEADER_BYTES, source.size - position));
  const box = readBoxHeader(header, position, source.size);
  if (box || header.toString('latin1', 4, 8) !== 'mdat') return box;
  // The last box of a truncated recording ends with the file; the part before this box is a valid video.
  return { type: 'mdat', start: position, bodyStart: position + MAX_BOX_HEADER_BYTES / 2, end: source.size };
}
