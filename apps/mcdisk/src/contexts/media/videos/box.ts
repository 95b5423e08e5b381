/** A box of ISO 14496-12: its type and where it lies; `bodyStart` is behind its header. Bytes from the file's begin. */
export interface Box {
  type: string;
  start: number;
  bodyStart: number;
  end: number;
}

/** Not a film that can be followed to its end. */
export class UnreadableVideoError extends Error {
  override readonly name = 'UnreadableVideoError';
}

const HEADER = 8;
const LARGE_HEADER = 16;
/** Boxes in one box; real films have hundreds at most. */
const MAX_BOXES = 20_000;
/** Bytes that tell a box's type and size, whatever its form. */
export const MAX_BOX_HEADER_BYTES = LARGE_HEADER;

/**
 * Reads the header of a box (4.2 of ISO 14496-12).
 * @param bytes at least the header, from the first byte of the box
 * @param start where the box begins
 * @param limit where what it lies in ends
 * @returns `undefined` when there is no box: too short, or larger than what it lies in
 */
export function boxAt(bytes: Buffer, start: number, limit: number): Box | undefined {
  if (bytes.length < HEADER) return undefined;
  const type = bytes.toString('latin1', 4, 8);
  const size = bytes.readUInt32BE(0);
  if (size === 0) return { type, start, bodyStart: start + HEADER, end: limit };
  if (size !== 1) return fitting({ type, start, bodyStart: start + HEADER, end: start + size }, limit);
  if (bytes.length < LARGE_HEADER) return undefined;
  const end = start + Number(bytes.readBigUInt64BE(HEADER));
  return fitting({ type, start, bodyStart: start + LARGE_HEADER, end }, limit);
}

/**
 * The boxes within another, one after the other.
 * @param bytes what of the file is at hand
 * @param origin where in the file those bytes begin
 * @throws UnreadableVideoError
 */
export function boxesIn(bytes: Buffer, origin: number, { bodyStart, end }: Pick<Box, 'bodyStart' | 'end'>): Box[] {
  const boxes: Box[] = [];
  for (let position = bodyStart; position < end;) {
    const header = bytes.subarray(position - origin, Math.min(position - origin + LARGE_HEADER, end - origin));
    // QuickTime ends some lists with a zero of four bytes.
    if (header.length === 4 && header.readUInt32BE(0) === 0) return boxes;
    const box = boxAt(header, position, end);
    if (!box) throw new UnreadableVideoError(`No box at ${position}`);
    if (boxes.length === MAX_BOXES) throw new UnreadableVideoError('Too many boxes');
    boxes.push(box);
    position = box.end;
  }
  return boxes;
}

function fitting(box: Box, limit: number): Box | undefined {
  return box.end >= box.bodyStart && box.end <= limit ? box : undefined;
}
