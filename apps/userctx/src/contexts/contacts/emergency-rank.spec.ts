import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_SOS_ORDER } from '@family-watch/domain/contacts/contracts/contact';
import { lastRank, shiftRanks } from './emergency-rank.js';
import type { RankedContact } from './emergency-rank.js';

const at = (...ranks: number[]): RankedContact[] => ranks.map((sosOrder) => ({ refId: `at ${sosOrder}`, sosOrder }));

describe('making room at a rank', () => {
  test('moves whoever stands there and those directly behind, and nobody behind a gap', () => {
    expect(shiftRanks(at(1, 2, 3, 5, 6), 2)).toEqual([
      { refId: 'at 2', sosOrder: 3 },
      { refId: 'at 3', sosOrder: 4 },
    ]);
  });

  test('moves nobody where nobody stands', () => {
    expect(shiftRanks(at(1, 3), 2)).toEqual([]);
  });

  test('at the very end moves those ahead forward', () => {
    expect(shiftRanks(at(1, 998, 999, 1_000), 1_000)).toEqual([
      { refId: 'at 1000', sosOrder: 999 },
      { refId: 'at 999', sosOrder: 998 },
      { refId: 'at 998', sosOrder: 997 },
    ]);
  });

  const ranks = fc.uniqueArray(fc.integer({ min: 1, max: MAX_SOS_ORDER }), { maxLength: 120 });
  const crowded = fc.uniqueArray(fc.integer({ min: 900, max: MAX_SOS_ORDER }), { maxLength: 101 });

  test('leaves everybody a rank of their own within the bounds, in the order of before', () => {
    fc.assert(
      fc.property(fc.oneof(ranks, crowded), fc.integer({ min: 1, max: MAX_SOS_ORDER }), (taken, rank) => {
        const before = at(...taken.toSorted((one, other) => one - other));
        const moved = new Map(shiftRanks(before, rank).map(({ refId, sosOrder }) => [refId, sosOrder]));
        const after = before.map(({ refId, sosOrder }) => moved.get(refId) ?? sosOrder);
        expect(after).not.toContain(rank);
        expect(after).toEqual(after.toSorted((one, other) => one - other));
        expect(new Set(after).size).toBe(after.length);
        for (const place of after) expect(place >= 1 && place <= MAX_SOS_ORDER).toBe(true);
      }),
    );
  });
});

test('the last rank is behind everybody, as far as there is one', () => {
  expect([lastRank([]), lastRank(at(3, 7)), lastRank(at(1_000))]).toEqual([1, 8, 1_000]);
});
