import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyPatches } from './patch.js';
import type { Patch } from './patch.js';

const FILE_SIZE = 200;

const patches = fc
  .uniqueArray(fc.nat(FILE_SIZE), { minLength: 0, maxLength: 12 })
  .map((offsets) => [...offsets].sort((a, b) => a - b))
  .chain((offsets) =>
    fc.tuple(
      ...Array.from({ length: Math.floor(offsets.length / 2) }, (_, index) => {
        const [start = 0, end = 0] = offsets.slice(index * 2);
        return fc
          .uint8Array({ maxLength: end - start })
          .map((head): Patch => ({ start, end, head: Buffer.from(head) }));
      }),
    ),
  );

test('applyPatches overwrites exactly the patched ranges, however the bytes are split into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: FILE_SIZE, maxLength: FILE_SIZE }),
      patches,
      fc.integer({ min: 1, max: 70 }),
      async (bytes, allPatches, chunkSize) => {
        const source = Buffer.from(bytes);
        const expected = Buffer.from(bytes);
        for (const { start, end, head } of allPatches) {
          expected.fill(0, start, end);
          head?.copy(expected, start);
        }
        const chunks = Array.from({ length: Math.ceil(FILE_SIZE / chunkSize) }, (_, index) =>
          source.subarray(index * chunkSize, (index + 1) * chunkSize),
        );
        expect(await buffer(Readable.from(chunks).pipe(applyPatches(allPatches)))).toEqual(expected);
        // The buffers of the source must be unchanged, because other code may still read them.
        expect(source).toEqual(Buffer.from(bytes));
      },
    ),
  );
});
