import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyPatches } from './patch.js';
import type { Patch } from './patch.js';

const SIZE = 200;

const patches = fc
  .uniqueArray(fc.nat(SIZE), { minLength: 0, maxLength: 12 })
  .map((places) => [...places].sort((a, b) => a - b))
  .chain((places) =>
    fc.tuple(
      ...Array.from({ length: Math.floor(places.length / 2) }, (_, index) => {
        const [start = 0, end = 0] = places.slice(index * 2);
        return fc
          .uint8Array({ maxLength: end - start })
          .map((head): Patch => ({ start, end, head: Buffer.from(head) }));
      }),
    ),
  );

test('however the bytes come, exactly what the patches name is overwritten', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: SIZE, maxLength: SIZE }),
      patches,
      fc.integer({ min: 1, max: 70 }),
      async (bytes, all, step) => {
        const source = Buffer.from(bytes);
        const expected = Buffer.from(bytes);
        for (const { start, end, head } of all) {
          expected.fill(0, start, end);
          head?.copy(expected, start);
        }
        const chunks = Array.from({ length: Math.ceil(SIZE / step) }, (_, index) =>
          source.subarray(index * step, (index + 1) * step),
        );
        expect(await buffer(Readable.from(chunks).pipe(applyPatches(all)))).toEqual(expected);
        // What others may still read is not touched.
        expect(source).toEqual(Buffer.from(bytes));
      },
    ),
  );
});
