import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_SOS_ORDER } from '@family-watch/domain/contacts/contracts/contact';
import { lastRank, shiftRanks } from './emergency-rank.js';
import type { RankedContact } from './emergency-rank.js';

const contactsAt = (...ranks: number[]): RankedContact[] =>
  ranks.map((sosOrder) => ({ refId: `at ${sosOrder}`, sosOrder }));

describe('shiftRanks', () => {
  test('moves the contact at the requested rank and those directly after it, up to the first free rank', () => {
    expect(shiftRanks(contactsAt(1, 2, 3, 5, 6), 2)).toEqual([
      { refId: 'at 2', sosOrder: 3 },
      { refId: 'at 3', sosOrder: 4 },
    ]);
  });

  test('moves no contact when the requested rank is free', () => {
    expect(shiftRanks(contactsAt(1, 3), 2)).toEqual([]);
  });

  test('moves preceding contacts forward when no later rank is free', () => {
    expect(shiftRanks(contactsAt(1, 998, 999, 1_000), 1_000)).toEqual([
      { refId: 'at 1000', sosOrder: 999 },
      { refId: 'at 999', sosOrder: 998 },
      { refId: 'at 998', sosOrder: 997 },
    ]);
  });

  const ranks = fc.uniqueArray(fc.integer({ min: 1, max: MAX_SOS_ORDER }), { maxLength: 120 });
  const crowded = fc.uniqueArray(fc.integer({ min: 900, max: MAX_SOS_ORDER }), { maxLength: 101 });

  test('assigns every contact a unique rank within the bounds and keeps the previous order', () => {
    fc.assert(
      fc.property(fc.oneof(ranks, crowded), fc.integer({ min: 1, max: MAX_SOS_ORDER }), (usedRanks, rank) => {
        const before = contactsAt(...usedRanks.toSorted((one, other) => one - other));
        const moved = new Map(shiftRanks(before, rank).map(({ refId, sosOrder }) => [refId, sosOrder]));
        const after = before.map(({ refId, sosOrder }) => moved.get(refId) ?? sosOrder);
        expect(after).not.toContain(rank);
        expect(after).toEqual(after.toSorted((one, other) => one - other));
        expect(new Set(after).size).toBe(after.length);
        for (const value of after) expect(value >= 1 && value <= MAX_SOS_ORDER).toBe(true);
      }),
    );
  });
});

test('lastRank returns the rank after the last contact, up to the maximum', () => {
  expect([lastRank([]), lastRank(contactsAt(3, 7)), lastRank(contactsAt(1_000))]).toEqual([1, 8, 1_000]);
});
