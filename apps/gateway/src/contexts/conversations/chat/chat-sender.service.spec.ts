import { describe, expect, test } from '@jest/globals';
import { RecentIdSet } from './chat-sender.service.js';

describe('RecentIdSet', () => {
  test('contains the newest ids and evicts older ids', () => {
    const recent = new RecentIdSet(3);
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    for (const [index, id] of ids.entries()) {
      recent.add(id);
      const contained = ids.filter((each) => recent.has(each));
      expect(contained).toEqual(ids.slice(index + 1 - contained.length, index + 1));
      expect(contained.length).toBeGreaterThanOrEqual(Math.min(3, index + 1));
      expect(contained.length).toBeLessThanOrEqual(6);
    }
  });
});
