import { readBoxHeader, type RandomAccessBytes } from './mp4-file.js';

/** A box of ISO 14496-12 or an element of EBML, and the offsets of its body in the file. */
interface Part<Type> {
  type: Type;
  bodyStart: number;
  end: number;
}

type Range = Pick<Part<unknown>, 'bodyStart' | 'end'>;

const ISO_MEDIA_TYPE = /^video\/(mp4|quicktime|3gpp2?|x-m4v)$/;
const ISO_HANDLERS = { sound: 'soun', picture: 'vide' };
const MATROSKA_MEDIA_TYPE = /^video\/(webm|matroska)$/;
const MATROSKA_TRACK_TYPES = { sound: 2, picture: 1 };

/**
 * Returns whether a file has tracks with sound and none with a picture, so that it is no video although its container is
 * one for videos. Returns false if the tracks cannot be read.
 * @param mediaType by the signature of the file
 */
export async function hasSoundOnly(mediaType: string, file: RandomAccessBytes): Promise<boolean> {
  const reader = new BlockReader(file);
  if (ISO_MEDIA_TYPE.test(mediaType)) return isSoundOnly(reader, isoHandlers(reader), ISO_HANDLERS);
  if (MATROSKA_MEDIA_TYPE.test(mediaType)) return isSoundOnly(reader, matroskaTrackTypes(reader), MATROSKA_TRACK_TYPES);
  return false;
}

async function isSoundOnly<Kind>(
  reader: BlockReader,
  tracks: AsyncIterable<Kind>,
  { sound, picture }: { sound: Kind; picture: Kind },
): Promise<boolean> {
  const kinds = new Set<Kind>();
  for await (const kind of tracks) kinds.add(kind);
  return kinds.has(sound) && !kinds.has(picture) && !reader.isExhausted;
}

/** Yields the handler type of each track (8.4.3 of ISO 14496-12). */
async function* isoHandlers(reader: BlockReader): AsyncGenerator<string> {
  const moov = await findPart(boxesIn(reader, reader.wholeFile), 'moov');
  if (!moov) return;
  for await (const trak of boxesIn(reader, moov)) {
    const mdia = trak.type === 'trak' ? await findPart(boxesIn(reader, trak), 'mdia') : undefined;
    const hdlr = mdia && (await findPart(boxesIn(reader, mdia), 'hdlr'));
    if (hdlr) yield (await reader.read(hdlr.bodyStart + 8, 4)).toString('latin1');
  }
}

async function* boxesIn(reader: BlockReader, { bodyStart, end }: Range): AsyncGenerator<Part<string>> {
  for (let position = bodyStart; position < end;) {
    const box = readBoxHeader(await reader.read(position, Math.min(MAX_HEADER_BYTES, end - position)), position, end);
    if (!box) return;
    yield box;
    position = box.end;
  }
}

const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_TYPE = 0x83;

/** Yields the type of each track (5.1.4.1.3 of RFC 9559). */
async function* matroskaTrackTypes(reader: BlockReader): AsyncGenerator<number> {
  const segment = await findPart(elementsIn(reader, reader.wholeFile), SEGMENT);
  const tracks = segment && (await findPart(elementsIn(reader, segment), TRACKS));
  if (!tracks) return;
  for await (const entry of elementsIn(reader, tracks)) {
    const type = entry.type === TRACK_ENTRY ? await findPart(elementsIn(reader, entry), TRACK_TYPE) : undefined;
    if (type) yield (await reader.read(type.end - 1, 1))[0] ?? 0;
  }
}

/** Yields the elements in a part of a file (RFC 8794). An element of unknown size ends with the part that contains it. */
async function* elementsIn(reader: BlockReader, { bodyStart, end }: Range): AsyncGenerator<Part<number>> {
  for (let position = bodyStart; position < end;) {
    const header = await reader.read(position, Math.min(MAX_HEADER_BYTES, end - position));
    const idLength = vintLength(header[0]);
    const sizeLength = vintLength(header[idLength]);
    if (idLength > 4 || sizeLength > 8 || header.length < idLength + sizeLength) return;
    const start = position + idLength + sizeLength;
    const size = readVint(header.subarray(idLength, idLength + sizeLength));
    position = size === undefined ? end : Math.min(start + size, end);
    yield { type: header.readUIntBE(0, idLength), bodyStart: start, end: position };
  }
}

/** Returns the length of a variable-size integer in bytes, by its first byte; more than 8 if the byte starts none. */
function vintLength(first: number | undefined): number {
  return Math.clz32(first ?? 0) - 23;
}

/** Returns the value of a variable-size integer, or `undefined` if all its bits are set, which means an unknown size. */
function readVint(bytes: Buffer): number | undefined {
  const bits = 7 * bytes.length;
  const value = BigInt.asUintN(bits, BigInt(`0x${bytes.toString('hex')}`));
  return value === 2n ** BigInt(bits) - 1n ? undefined : Number(value);
}

async function findPart<Type>(parts: AsyncIterable<Part<Type>>, type: Type): Promise<Part<Type> | undefined> {
  for await (const part of parts) if (part.type === type) return part;
  return undefined;
}

/** Longest header of a box or an element, bytes. */
const MAX_HEADER_BYTES = 16;
const BLOCK_BYTES = 64 * 1024;
/** Maximum number of blocks that are read of one file. The index of most files is in the first or the last block. */
const MAX_BLOCKS = 32;

/** Reads a few bytes at a time from larger blocks, so that neighbouring reads need one request to the store. */
class BlockReader {
  private block: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  private blocks = 0;
  /** True if a read was refused because it needed one block too many. */
  isExhausted = false;

  constructor(private readonly file: RandomAccessBytes) {}

  get wholeFile(): Range {
    return { bodyStart: 0, end: this.file.size };
  }

  /** Returns the bytes, or fewer at the end of the file and none after {@link MAX_BLOCKS}. */
  async read(position: number, length: number): Promise<Buffer> {
    const end = Math.min(position + length, this.file.size);
    if (position >= end) return Buffer.alloc(0);
    if (position < this.block.start || end > this.block.start + this.block.bytes.length) {
      if (this.blocks === MAX_BLOCKS) {
        this.isExhausted = true;
        return Buffer.alloc(0);
      }
      this.blocks += 1;
      const bytes = await this.file.read(position, Math.min(BLOCK_BYTES, this.file.size - position));
      this.block = { start: position, bytes };
    }
    return this.block.bytes.subarray(position - this.block.start, end - this.block.start);
  }
}
