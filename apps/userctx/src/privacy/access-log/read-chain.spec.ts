import { describe, expect, test } from '@jest/globals';
import type { ChildReadEntity } from '@family-watch/domain/privacy/entities/child-read.entities';
import { hashEntry, verifyEntries } from './read-chain.js';

const start = { sequence: 4, hash: Buffer.from('earlier entries') };

function createChain(length: number): ChildReadEntity[] {
  const entries: ChildReadEntity[] = [];
  let hash: Buffer = start.hash;
  for (let sequence = 5; sequence < 5 + length; sequence += 1) {
    const entry = { cid: 'c', sequence, viewer: 'user:u', kind: 'TRACK', hour: sequence, recordedAt: 1 } as const;
    hash = hashEntry(hash, entry);
    entries.push({ ...entry, hash });
  }
  return entries;
}

describe('verifyEntries', () => {
  const entries = createChain(3);
  const [first, second, third] = entries as [ChildReadEntity, ChildReadEntity, ChildReadEntity];

  test('returns the position after intact entries', () => {
    expect(verifyEntries(start, entries)).toEqual({ sequence: 7, hash: third.hash });
    expect(verifyEntries(start, [])).toEqual(start);
  });

  test.each<[string, Partial<ChildReadEntity>]>([
    ['cid', { cid: 'd' }],
    ['viewer', { viewer: 'share:u' }],
    ['kind', { kind: 'MEDIA' }],
    ['hour', { hour: 0 }],
    ['recordedAt', { recordedAt: 2 }],
    ['hash', { hash: Buffer.alloc(32) }],
  ])('finds an entry whose %s was changed', (_, change) => {
    expect(verifyEntries(start, [first, { ...second, ...change }, third])).toBe(6);
  });

  test('finds a removed entry, also if the later entries were numbered again', () => {
    expect(verifyEntries(start, [first, third])).toBe(6);
    expect(verifyEntries(start, [first, { ...third, sequence: 6 }])).toBe(6);
    expect(verifyEntries(start, [second, third])).toBe(5);
  });

  test('finds entries in another order, and the entries of another chain', () => {
    expect(verifyEntries(start, [second, first, third])).toBe(5);
    expect(verifyEntries({ ...start, hash: Buffer.alloc(0) }, entries)).toBe(5);
  });
});
