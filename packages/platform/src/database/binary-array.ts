/**
 * Arrays as Postgres reads them in its binary format (`array_recv`): for statements that store hundreds of rows with
 * one array per column. As text each element is escaped here and parsed there, which costs more than storing it. The
 * driver sends a Buffer as binary; the statement names the type, e.g. `$1::uuid[]`, and it must be this one.
 */

/** Object ids of element types, fixed in Postgres (`pg_type.dat`). */
const OID = { int8: 20, text: 25, json: 114, uuid: 2950 } as const;

const HEADER_BYTES = 20;
const NULL_LENGTH = -1;
const INT8_BYTES = 8;
const UUID_BYTES = 16;
const MAX_UTF8_BYTES_PER_UNIT = 3;
const TWO_TO_32 = 2 ** 32;
const FIRST_SCRATCH_BYTES = 256 * 1_024;
/** A larger one is let go of after use. */
const MAX_SCRATCH_BYTES = 8 * 1_024 * 1_024;

/** Filled and copied within one call, so that it can be shared. */
let scratch = Buffer.allocUnsafeSlow(FIRST_SCRATCH_BYTES);

/** `text[]` */
export function textArray(values: readonly (string | null)[]): Buffer {
  return textual(OID.text, values);
}

/** `json[]`, of JSON texts */
export function jsonArray(values: readonly (string | null)[]): Buffer {
  return textual(OID.json, values);
}

/**
 * `bigint[]`
 * @throws RangeError for what is no safe integer
 */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  let offset = begin(OID.int8, values, INT8_BYTES);
  for (const value of values) {
    if (value === null) {
      offset = scratch.writeInt32BE(NULL_LENGTH, offset);
      continue;
    }
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no safe integer`);
    offset = scratch.writeInt32BE(INT8_BYTES, offset);
    offset = scratch.writeInt32BE(Math.floor(value / TWO_TO_32), offset);
    offset = scratch.writeUInt32BE(value >>> 0, offset);
  }
  return copied(offset);
}

/**
 * `uuid[]`, of UUIDs with hyphens
 * @throws RangeError for what is none
 */
export function uuidArray(values: readonly (string | null)[]): Buffer {
  let offset = begin(OID.uuid, values, UUID_BYTES);
  for (const value of values) {
    if (value === null) {
      offset = scratch.writeInt32BE(NULL_LENGTH, offset);
      continue;
    }
    offset = scratch.writeInt32BE(UUID_BYTES, offset);
    const written = scratch.write(value.replaceAll('-', ''), offset, UUID_BYTES, 'hex');
    if (written !== UUID_BYTES || value.length !== UUID_BYTES * 2 + 4) throw new RangeError(`${value} is no UUID`);
    offset += UUID_BYTES;
  }
  return copied(offset);
}

function textual(oid: number, values: readonly (string | null)[]): Buffer {
  let offset = begin(oid, values, 0);
  let last: string | undefined;
  let lastStart = 0;
  for (const value of values) {
    if (value === null) {
      ensure(offset, 4);
      offset = scratch.writeInt32BE(NULL_LENGTH, offset);
    } else if (value === last) {
      // Columns of constants are common: the bytes are there already, length and all.
      const lastEnd = lastStart + 4 + scratch.readInt32BE(lastStart);
      ensure(offset, lastEnd - lastStart);
      scratch.copyWithin(offset, lastStart, lastEnd);
      offset += lastEnd - lastStart;
    } else {
      ensure(offset, 4 + value.length * MAX_UTF8_BYTES_PER_UNIT);
      const length = scratch.write(value, offset + 4, 'utf8');
      scratch.writeInt32BE(length, offset);
      last = value;
      lastStart = offset;
      offset += 4 + length;
    }
  }
  return copied(offset);
}

/** Writes what stands before the elements: dimensions, whether there are nulls, element type, length, lower bound. */
function begin(oid: number, values: readonly unknown[], bytesPerElement: number): number {
  ensure(0, HEADER_BYTES + values.length * (4 + bytesPerElement));
  let offset = scratch.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  offset = scratch.writeInt32BE(values.includes(null) ? 1 : 0, offset);
  offset = scratch.writeInt32BE(oid, offset);
  if (values.length === 0) return offset;
  offset = scratch.writeInt32BE(values.length, offset);
  return scratch.writeInt32BE(1, offset);
}

function ensure(offset: number, bytes: number): void {
  if (offset + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * scratch.length, offset + bytes));
  scratch.copy(larger, 0, 0, offset);
  scratch = larger;
}

function copied(length: number): Buffer {
  const array = Buffer.from(scratch.subarray(0, length));
  if (scratch.length > MAX_SCRATCH_BYTES) scratch = Buffer.allocUnsafeSlow(FIRST_SCRATCH_BYTES);
  return array;
}
