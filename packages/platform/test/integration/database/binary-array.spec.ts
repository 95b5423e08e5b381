import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { bigintArray, jsonArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';

let database: TestDatabase;
let connection: Awaited<ReturnType<typeof openDedicatedConnection>>;

beforeAll(async () => {
  database = await createTestDatabase();
  connection = await openDedicatedConnection({ url: database.url, variableName: 'DATABASE_URL' }, 'test');
});

afterAll(async () => {
  await connection.end();
  await database.drop();
});

/** Returns the elements of the array as Postgres has decoded them, as text and in order. */
async function readElements(type: string, array: Buffer): Promise<(string | null)[]> {
  const { rows } = await connection.query<{ element: string | null }>(
    `SELECT element::text FROM unnest($1::${type}[]) WITH ORDINALITY AS sent (element, position) ORDER BY position`,
    [array],
  );
  return rows.map(({ element }) => element);
}

/**
 * Arbitrary text without lone surrogates, which cannot be encoded, and without NUL, which Postgres does not support.
 */
const arbitraryText = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('', 'same', 'NULL', '{"a"}', '\\', 'ä€😀'))
  .map((value) => value.toWellFormed().replaceAll('\0', ''));

test('textArray encodes texts, nulls and repeated texts so that Postgres reads the same values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(arbitraryText), { maxLength: 30 }), async (values) => {
      expect(await readElements('text', textArray(values))).toEqual(values);
    }),
    { numRuns: propertyRuns(35) },
  );
});

test('bigintArray encodes integers so that Postgres reads the same values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.maxSafeInteger()), { maxLength: 30 }), async (values) => {
      const expected = values.map((value) => (value === null ? null : String(value)));
      expect(await readElements('bigint', bigintArray(values))).toEqual(expected);
    }),
    { numRuns: propertyRuns(35) },
  );
  const edges = [0, -1, 1, 2 ** 31, -(2 ** 31), 2 ** 32, -(2 ** 32), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  expect(await readElements('bigint', bigintArray(edges))).toEqual(edges.map(String));
});

test('uuidArray encodes UUIDs so that Postgres reads the same values', async () => {
  const values = [randomUUID(), null, randomUUID(), '00000000-0000-0000-0000-000000000000'];
  expect(await readElements('uuid', uuidArray(values))).toEqual(values);
  expect(await readElements('uuid', uuidArray([]))).toEqual([]);
});

test('jsonArray encodes JSON texts so that Postgres reads the same values', async () => {
  const values = ['{"a": [1, "ä"]}', 'null', null, '"x"'];
  expect(await readElements('json', jsonArray(values))).toEqual(values);
});

test('textArray encodes an array that is larger than the initial buffer, and then a small array', async () => {
  const values = Array.from({ length: 300 }, (_, index) => `${index}`.repeat(20_000 / `${index}`.length));
  expect(await readElements('text', textArray(values))).toEqual(values);
  expect(await readElements('text', textArray(['after']))).toEqual(['after']);
});

test('bigintArray and uuidArray throw on values that are not of their type', () => {
  expect(() => bigintArray([1.5])).toThrow(RangeError);
  expect(() => bigintArray([2 ** 60])).toThrow(RangeError);
  const uuid = randomUUID();
  for (const value of ['', 'x', uuid.slice(1), `${uuid}0`, uuid.replace(/.$/, 'g')]) {
    expect(() => uuidArray([value])).toThrow(RangeError);
  }
});
