/**
 * Encodes arrays in the binary format of Postgres (`array_recv`), for statements that store hundreds of rows with one
 * array per column. The text format would have to be escaped and parsed per element, which costs more than storing the
 * element. The driver sends a Buffer in the binary format. The statement must cast the parameter to exactly the encoded
 * type, for example `$1::uuid[]`.
 */

/** Object ids of the element types, fixed in Postgres (`pg_type.dat`). */
const ELEMENT_OIDS = { int8: 20, text: 25, json: 114, uuid: 2950 } as const;

const HEADER_BYTES = 20;
const NULL_LENGTH = -1;
const INT8_BYTES = 8;
const UUID_BYTES = 16;
const MAX_UTF8_BYTES_PER_CODE_UNIT = 3;
const TWO_TO_32 = 2 ** 32;
const INITIAL_SCRATCH_BYTES = 256 * 1_024;
/** Maximum size of the buffer that is reused; a larger buffer is released after use. */
const MAX_SCRATCH_BYTES = 8 * 1_024 * 1_024;

/** Buffer shared by all calls; each call synchronously fills the buffer and copies the result. */
let scratchBuffer = Buffer.allocUnsafeSlow(INITIAL_SCRATCH_BYTES);

/** Encodes a `text[]`. */
export function textArray(values: readonly (string | null)[]): Buffer {
  return encodeTexts(ELEMENT_OIDS.text, values);
}

/** Encodes a `json[]` from JSON texts. */
export function jsonArray(values: readonly (string | null)[]): Buffer {
  return encodeTexts(ELEMENT_OIDS.json, values);
}

/**
 * Encodes a `bigint[]`.
 *
 * @throws RangeError if a value is not a safe integer
 */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  let offset = writeHeader(ELEMENT_OIDS.int8, values, INT8_BYTES);
  for (const value of values) {
    if (value === null) {
      offset = scratchBuffer.writeInt32BE(NULL_LENGTH, offset);
      continue;
    }
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a safe integer`);
    offset = scratchBuffer.writeInt32BE(INT8_BYTES, offset);
    offset = scratchBuffer.writeInt32BE(Math.floor(value / TWO_TO_32), offset);
    offset = scratchBuffer.writeUInt32BE(value >>> 0, offset);
  }
  return copyScratchBuffer(offset);
}

/**
 * Encodes a `uuid[]` from UUIDs with hyphens.
 *
 * @throws RangeError if a value is not a UUID
 */
export function uuidArray(values: readonly (string | null)[]): Buffer {
  let offset = writeHeader(ELEMENT_OIDS.uuid, values, UUID_BYTES);
  for (const value of values) {
    if (value === null) {
      offset = scratchBuffer.writeInt32BE(NULL_LENGTH, offset);
      continue;
    }
    offset = scratchBuffer.writeInt32BE(UUID_BYTES, offset);
    const written = scratchBuffer.write(value.replaceAll('-', ''), offset, UUID_BYTES, 'hex');
    if (written !== UUID_BYTES || value.length !== UUID_BYTES * 2 + 4) throw new RangeError(`${value} is not a UUID`);
    offset += UUID_BYTES;
  }
  return copyScratchBuffer(offset);
}

function encodeTexts(oid: number, values: readonly (string | null)[]): Buffer {
  let offset = writeHeader(oid, values, 0);
  let previous: string | undefined;
  let previousStart = 0;
  for (const value of values) {
    if (value === null) {
      ensureCapacity(offset, 4);
      offset = scratchBuffer.writeInt32BE(NULL_LENGTH, offset);
    } else if (value === previous) {
      // Copies the previous element including its length, because columns with a constant value are common.
      const previousEnd = previousStart + 4 + scratchBuffer.readInt32BE(previousStart);
      ensureCapacity(offset, previousEnd - previousStart);
      scratchBuffer.copyWithin(offset, previousStart, previousEnd);
      offset += previousEnd - previousStart;
    } else {
      ensureCapacity(offset, 4 + value.length * MAX_UTF8_BYTES_PER_CODE_UNIT);
      const length = scratchBuffer.write(value, offset + 4, 'utf8');
      scratchBuffer.writeInt32BE(length, offset);
      previous = value;
      previousStart = offset;
      offset += 4 + length;
    }
  }
  return copyScratchBuffer(offset);
}

/**
 * Writes the header of an array: dimensions, null flag, element type, length and lower bound.
 *
 * @returns the offset after the header
 */
function writeHeader(oid: number, values: readonly unknown[], bytesPerElement: number): number {
  ensureCapacity(0, HEADER_BYTES + values.length * (4 + bytesPerElement));
  let offset = scratchBuffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  offset = scratchBuffer.writeInt32BE(values.includes(null) ? 1 : 0, offset);
  offset = scratchBuffer.writeInt32BE(oid, offset);
  if (values.length === 0) return offset;
  offset = scratchBuffer.writeInt32BE(values.length, offset);
  return scratchBuffer.writeInt32BE(1, offset);
}

function ensureCapacity(offset: number, bytes: number): void {
  if (offset + bytes <= scratchBuffer.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * scratchBuffer.length, offset + bytes));
  scratchBuffer.copy(larger, 0, 0, offset);
  scratchBuffer = larger;
}

function copyScratchBuffer(length: number): Buffer {
  const array = Buffer.from(scratchBuffer.subarray(0, length));
  if (scratchBuffer.length > MAX_SCRATCH_BYTES) scratchBuffer = Buffer.allocUnsafeSlow(INITIAL_SCRATCH_BYTES);
  return array;
}
