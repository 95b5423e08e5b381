import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { resolveChain, truncateChain, parseSegment, segmentName } from './segment-chain.js';
import type { Segment } from './segment-chain.js';

const FOLDER = 'staging/key/';

function piece(epoch: number, offset: number, size: number): Segment {
  const parsed = parseSegment({ name: segmentName(FOLDER, epoch, offset), size, etag: '' });
  if (!parsed) throw new Error('A name that is not read again');
  return parsed;
}

const places = (pieces: readonly Segment[]) => pieces.map(({ epoch, offset, size }) => [epoch, offset, size]);

test('names tell epoch and place, and stand in the order of both', () => {
  expect(piece(3, 10_737_418_240, 5)).toMatchObject({ epoch: 3, offset: 10_737_418_240, size: 5 });
  expect(segmentName(FOLDER, 0, 8_388_608) < segmentName(FOLDER, 0, 16_777_216)).toBe(true);
  expect(parseSegment({ name: 'staging/key/notes.txt', size: 1, etag: '' })).toBeUndefined();
});

test('what an old writer adds after its blob was taken away is not looked at', () => {
  const whole = [piece(0, 0, 10), piece(0, 10, 10), piece(1, 20, 0), piece(0, 20, 10), piece(0, 30, 10)];
  expect(resolveChain(whole)).toMatchObject({ size: 20, epoch: 1 });
  const goneOn = [piece(0, 0, 10), piece(1, 10, 12), piece(0, 10, 10), piece(0, 20, 10), piece(0, 22, 10)];
  expect(places(resolveChain(goneOn).pieces)).toEqual([
    [0, 0, 10],
    [1, 10, 12],
  ]);
  const takenTwice = [piece(0, 0, 10), piece(2, 10, 4), piece(1, 10, 10), piece(1, 14, 3)];
  expect(resolveChain(takenTwice)).toMatchObject({ size: 14, epoch: 2 });
});

test('a hole ends the blob', () => {
  expect(resolveChain([piece(0, 0, 10), piece(0, 11, 10)]).size).toBe(10);
  expect(resolveChain([piece(0, 10, 10)]).size).toBe(0);
});

test('is cut at any byte into whole pieces and a rest that is written again', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(sizes, fc.nat(), fc.integer({ min: 1, max: 20 }), (list, place, minBytes) => {
      let offset = 0;
      const pieces = list.map((size) => piece(0, (offset += size) - size, size));
      const size = place % (offset + 1);
      const cut = truncateChain(resolveChain(pieces), size, minBytes);
      expect(cut.size).toBe(cut.pieces.reduce((sum, { size: bytes }) => sum + bytes, 0));
      expect(cut.size).toBeLessThanOrEqual(size);
      for (const { size: bytes } of cut.pieces) expect(bytes).toBeGreaterThanOrEqual(minBytes);
      if (cut.size < size) expect(cut.tail?.offset).toBe(cut.size);
    }),
  );
});
