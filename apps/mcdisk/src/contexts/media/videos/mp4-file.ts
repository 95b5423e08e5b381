import { MAX_BOX_HEADER_BYTES, UnreadableVideoError, boxAt } from './box.js';
import type { Box } from './box.js';

/** Bytes that can be read here and there. */
export interface RandomAccessBytes {
  /** Bytes. */
  size: number;
  read(start: number, length: number): Promise<Buffer>;
}

/** A box of the file with its bytes, where they are small and say something. */
export interface Mp4Box extends Box {
  bytes?: Buffer;
}

/** A file of ISO 14496-12 (MP4, 3GP, QuickTime): its boxes in order, and where it stops being one. */
export interface Mp4File {
  boxes: Mp4Box[];
  moov: Mp4Box & { bytes: Buffer };
  /** From here on there are no boxes; often the end of the file. */
  end: number;
  /** Bytes. */
  size: number;
}

/** Bytes of the index of a film beyond which it is not read. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** The same for all indexes of its fragments. */
const MAX_FRAGMENTS_BYTES = 64 * 1024 * 1024;
const MAX_BOXES = 10_000;

/**
 * Goes through the boxes of a file and reads its indexes; of the film itself nothing is read.
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
  if (!moov?.bytes || another) throw new UnreadableVideoError('A film has one index');
  return { boxes, moov: { ...moov, bytes: moov.bytes }, end: position, size: source.size };
}

async function nextBox(source: RandomAccessBytes, position: number): Promise<Mp4Box | undefined> {
  const header = await source.read(position, Math.min(MAX_BOX_HEADER_BYTES, source.size - position));
  const box = boxAt(header, position, source.size);
  if (box || header.toString('latin1', 4, 8) !== 'mdat') return box;
  // A recording that was cut off: what there is of it is a film.
  return { type: 'mdat', start: position, bodyStart: position + MAX_BOX_HEADER_BYTES / 2, end: source.size };
}
