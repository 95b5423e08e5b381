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
/** Maximum number of bytes of a box header. */
export const MAX_BOX_HEADER_BYTES = LARGE_HEADER_BYTES;

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
