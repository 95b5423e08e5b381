/**
 * Encodes arrays in the binary format of Postgres (`array_recv`), for statements that store hundreds of rows with one
 * array per column. The text format would have to be escaped and parsed per element, which costs more than storing the
 * element. The driver sends a Buffer as binary. The statement must cast the parameter to exactly the encoded type, e.g.
 * `$1::uuid[]`.
 */

/** Object ids of the element types, fixed in Postgres (`pg_type.dat`). */
const OID = { int8: 20, text: 25, json: 114, uuid: 2950 } as const;

const HEADER_BYTES = 20;
const NULL_LENGTH = -1;
const INT8_BYTES = 8;
const UUID_BYTES = 16;
const MAX_UTF8_BYTES_PER_UNIT = 3;
const TWO_TO_32 = 2 ** 32;
const INITIAL_SCRATCH_BYTES = 256 * 1_024;
/** Maximum size of the buffer that is reused; a larger buffer is released after use. */
const MAX_SCRATCH_BYTES = 8 * 1_024 * 1_024;

/** Buffer shared by all calls; each call fills and copies it synchronously. */
let scratch = Buffer.allocUnsafeSlow(INITIAL_SCRATCH_BYTES);

/** Encodes a `text[]`. */
export function textArray(values: readonly (string | null)[]): Buffer {
  return encodeTexts(OID.text, values);
}

/** Encodes a `json[]` from JSON texts. */
export function jsonArray(values: readonly (string | null)[]): Buffer {
  return encodeTexts(OID.json, values);
}

/**
 * Encodes a `bigint[]`.
 *
 * @throws RangeError if a value is not a safe integer
 */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  let offset = writeHeader(OID.int8, values, INT8_BYTES);
  for (const value of values) {
    if (value === null) {
      offset = scratch.writeInt32BE(NULL_LENGTH, offset);
      continue;
    }
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a safe integer`);
    offset = scratch.writeInt32BE(INT8_BYTES, offset);
    offset = scratch.writeInt32BE(Math.floor(value / TWO_TO_32), offset);
    offset = scratch.writeUInt32BE(value >>> 0, offset);
  }
  return copyScratch(offset);
}

/**
 * Encodes a `uuid[]` from UUIDs with hyphens.
 *
 * @throws RangeError if a value is not a UUID
 */
export function uuidArray(values: readonly (string | null)[]): Buffer {
  let offset = writeHeader(OID.uuid, values, UUID_BYTES);
  for (const value of values) {
    if (value === null) {
      offset = scratch.writeInt32BE(NULL_LENGTH, offset);
      continue;
    }
    offset = scratch.writeInt32BE(UUID_BYTES, offset);
    const written = scratch.write(value.replaceAll('-', ''), offset, UUID_BYTES, 'hex');
    if (written !== UUID_BYTES || value.length !== UUID_BYTES * 2 + 4) throw new RangeError(`${value} is not a UUID`);
    offset += UUID_BYTES;
  }
  return copyScratch(offset);
}

function encodeTexts(oid: number, values: readonly (string | null)[]): Buffer {
  let offset = writeHeader(oid, values, 0);
  let last: string | undefined;
  let lastStart = 0;
  for (const value of values) {
    if (value === null) {
      ensureCapacity(offset, 4);
      offset = scratch.writeInt32BE(NULL_LENGTH, offset);
    } else if (value === last) {
      // Copies the previous element including its length, because columns with a constant value are common.
      const lastEnd = lastStart + 4 + scratch.readInt32BE(lastStart);
      ensureCapacity(offset, lastEnd - lastStart);
      scratch.copyWithin(offset, lastStart, lastEnd);
      offset += lastEnd - lastStart;
    } else {
      ensureCapacity(offset, 4 + value.length * MAX_UTF8_BYTES_PER_UNIT);
      const length = scratch.write(value, offset + 4, 'utf8');
      scratch.writeInt32BE(length, offset);
      last = value;
      lastStart = offset;
      offset += 4 + length;
    }
  }
  return copyScratch(offset);
}

/** Writes the header: dimensions, null flag, element type, length and lower bound. */
function writeHeader(oid: number, values: readonly unknown[], bytesPerElement: number): number {
  ensureCapacity(0, HEADER_BYTES + values.length * (4 + bytesPerElement));
  let offset = scratch.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  offset = scratch.writeInt32BE(values.includes(null) ? 1 : 0, offset);
  offset = scratch.writeInt32BE(oid, offset);
  if (values.length === 0) return offset;
  offset = scratch.writeInt32BE(values.length, offset);
  return scratch.writeInt32BE(1, offset);
}

function ensureCapacity(offset: number, bytes: number): void {
  if (offset + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * scratch.length, offset + bytes));
  scratch.copy(larger, 0, 0, offset);
  scratch = larger;
}

function copyScratch(length: number): Buffer {
  const array = Buffer.from(scratch.subarray(0, length));
  if (scratch.length > MAX_SCRATCH_BYTES) scratch = Buffer.allocUnsafeSlow(INITIAL_SCRATCH_BYTES);
  return array;
}
