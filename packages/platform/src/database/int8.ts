import pg from 'pg';
import type { CustomTypesConfig } from 'pg';

const INT8: number = pg.types.builtins.INT8;
/** Object id of int8 arrays, for which the driver has no constant. */
const INT8_ARRAY: number = 1016;

/** The driver's lookup of type parsers, typed for any object id of a server. */
const parserOf = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown;

/**
 * Type parsers of the driver, with 64-bit integers as numbers. TypeORM's `parseInt8` is not used, because TypeORM's
 * parser rounds silently and applies to every connection of the process.
 */
export const typesWithSafeInt8: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === INT8) return parseInt8;
    if (format !== 'binary' && oid === INT8_ARRAY) return parseInt8Array;
    return parserOf(oid, format);
  }) as CustomTypesConfig['getTypeParser'],
};

/**
 * Parses a 64-bit integer.
 *
 * @param text - a 64-bit integer in the text format of Postgres
 * @throws RangeError beyond ±(2^53 − 1), where numbers are not exact
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
