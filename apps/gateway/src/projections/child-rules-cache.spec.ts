import { describe, expect, test } from '@jest/globals';
import { compileChildRules } from '@family-watch/domain/watches/check-communication';
import { ChildRulesCache } from './child-rules-lookup.service.js';

const createRules = (cid: string, version: number) =>
  compileChildRules({
    familyId: 'f',
    familyVersion: 1,
    cid,
    version,
    timeZone: 'UTC',
    pausedOn: null,
    schoolTimes: [],
    contacts: [],
  });

describe('ChildRulesCache', () => {
  test('retains the newest version, regardless of the order in which reads finish', () => {
    const cache = new ChildRulesCache(3);
    cache.put('a', createRules('a', 2));
    cache.put('a', createRules('a', 1));
    cache.put('a', null);
    expect(cache.get('a')?.version).toBe(2);
    cache.put('a', createRules('a', 3));
    expect(cache.get('a')?.version).toBe(3);
  });

  test('caches the absence of rules until rules are read', () => {
    const cache = new ChildRulesCache(3);
    expect(cache.get('a')).toBeUndefined();
    cache.put('a', null);
    expect(cache.get('a')).toBeNull();
    cache.put('a', createRules('a', 1));
    expect(cache.get('a')?.version).toBe(1);
  });

  test('invalidates only entries older than the given version', () => {
    const cache = new ChildRulesCache(3);
    cache.put('a', createRules('a', 2));
    cache.put('b', null);
    cache.invalidateBefore('a', 2);
    expect(cache.get('a')?.version).toBe(2);
    cache.invalidateBefore('a', 3);
    cache.invalidateBefore('b', 1);
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, undefined]);
  });

  test('evicts the least recently used entry when it is full', () => {
    const cache = new ChildRulesCache(2);
    for (const cid of ['a', 'b']) cache.put(cid, null);
    cache.get('a');
    cache.put('c', null);
    expect(['a', 'b', 'c'].map((cid) => cache.get(cid))).toEqual([null, undefined, null]);
  });
});
