import pg from 'pg';
import type { CustomTypesConfig } from 'pg';

const INT8: number = pg.types.builtins.INT8;
/** Array of int8; the driver's list of types has no name for it. */
const INT8_ARRAY: number = 1016;

/** What the driver's own types do not say: any oid of a server may be asked for. */
const parserOf = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown;

/**
 * Types of the driver, with 64-bit integers as numbers. TypeORM's `parseInt8` is not used: it rounds silently, and
 * sets it for every connection of the process.
 */
export const typesWithSafeInt8: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === INT8) return parseInt8;
    if (format !== 'binary' && oid === INT8_ARRAY) return parseInt8Array;
    return parserOf(oid, format);
  }) as CustomTypesConfig['getTypeParser'],
};

/**
 * @param text - a 64-bit integer as Postgres writes it
 * @throws RangeError beyond ±(2^53 − 1), where a number is no longer exact
 */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} from the database is not a safe number.`);
  return value;
}

function parseInt8Array(text: string): unknown[] {
  const parse = parserOf(INT8_ARRAY, 'text') as (value: string) => unknown[];
  const convert = (item: unknown): unknown =>
    Array.isArray(item) ? item.map(convert) : typeof item === 'string' ? parseInt8(item) : item;
  return parse(text).map(convert);
}
