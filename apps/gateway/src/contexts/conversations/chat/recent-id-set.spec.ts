import { describe, expect, test } from '@jest/globals';
import { RecentIdSet } from './recent-id-set.js';

describe('RecentIdSet', () => {
  test('knows the newest, and forgets the rest', () => {
    const recent = new RecentIdSet(3);
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    for (const [index, id] of ids.entries()) {
      recent.add(id);
      const known = ids.filter((each) => recent.has(each));
      expect(known).toEqual(ids.slice(index + 1 - known.length, index + 1));
      expect(known.length).toBeGreaterThanOrEqual(Math.min(3, index + 1));
      expect(known.length).toBeLessThanOrEqual(6);
    }
  });
});
