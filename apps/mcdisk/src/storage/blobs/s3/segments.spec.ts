import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { resolveChain, truncateChain, parseSegment, segmentName, type Segment } from './segments.js';

const PREFIX = 'staging/key/';

function segment(epoch: number, offset: number, size: number): Segment {
  const parsed = parseSegment({ name: segmentName(PREFIX, epoch, offset), size, etag: '' });
  if (!parsed) throw new Error('A segment name that cannot be parsed');
  return parsed;
}

const toTuples = (segments: readonly Segment[]) => segments.map(({ epoch, offset, size }) => [epoch, offset, size]);

test('segment names encode epoch and offset, and names of one epoch sort by offset', () => {
  expect(segment(3, 10_737_418_240, 5)).toMatchObject({ epoch: 3, offset: 10_737_418_240, size: 5 });
  expect(segmentName(PREFIX, 0, 8_388_608) < segmentName(PREFIX, 0, 16_777_216)).toBe(true);
  expect(parseSegment({ name: 'staging/key/notes.txt', size: 1, etag: '' })).toBeUndefined();
});

test('resolveChain ignores segments that the old writer adds after the blob was taken over', () => {
  const taken = [segment(0, 0, 10), segment(0, 10, 10), segment(1, 20, 0), segment(0, 20, 10), segment(0, 30, 10)];
  expect(resolveChain(taken)).toMatchObject({ size: 20, epoch: 1 });
  const continued = [segment(0, 0, 10), segment(1, 10, 12), segment(0, 10, 10), segment(0, 20, 10), segment(0, 22, 10)];
  expect(toTuples(resolveChain(continued).segments)).toEqual([
    [0, 0, 10],
    [1, 10, 12],
  ]);
  const takenOverTwice = [segment(0, 0, 10), segment(2, 10, 4), segment(1, 10, 10), segment(1, 14, 3)];
  expect(resolveChain(takenOverTwice)).toMatchObject({ size: 14, epoch: 2 });
});

test('resolveChain ends the blob before the first missing segment', () => {
  expect(resolveChain([segment(0, 0, 10), segment(0, 11, 10)]).size).toBe(10);
  expect(resolveChain([segment(0, 10, 10)]).size).toBe(0);
});

test('truncateChain at any byte returns the complete segments and a tail to rewrite', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(sizes, fc.nat(), fc.integer({ min: 1, max: 20 }), (list, position, minBytes) => {
      let offset = 0;
      const segments = list.map((size) => segment(0, (offset += size) - size, size));
      const size = position % (offset + 1);
      const truncated = truncateChain(resolveChain(segments), size, minBytes);
      expect(truncated.size).toBe(truncated.segments.reduce((sum, { size: bytes }) => sum + bytes, 0));
      expect(truncated.size).toBeLessThanOrEqual(size);
      for (const { size: bytes } of truncated.segments) expect(bytes).toBeGreaterThanOrEqual(minBytes);
      if (truncated.size < size) expect(truncated.tail?.offset).toBe(truncated.size);
    }),
  );
});
