import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { FamilyCache } from './family-cache.js';

function createFamily(familyId: string, version: number, users: string[], dids: number[] = []): FamilySnapshot {
  return {
    familyId,
    version,
    ownerUserId: users[0] ?? '',
    dissolved: false,
    members: users.map((userId) => ({ userId, role: FAMILY_ROLE.GUARDIAN, permissions: [], childPermissions: {} })),
    children: dids.map((did) => ({ cid: `child-of-${did}`, did })),
  };
}

describe('FamilyCache', () => {
  test('caches a family only while a principal of the family has an open connection', () => {
    const cache = new FamilyCache();
    cache.retain('user:a');
    cache.put(createFamily('f1', 1, ['a', 'b']));
    cache.put(createFamily('f2', 1, ['c']));
    expect(cache.familyIdsOf('user:a')).toEqual(['f1']);
    expect(cache.get('f2')).toBeUndefined();
  });

  test('retains the highest version, regardless of the order in which snapshots arrive', () => {
    const cache = new FamilyCache();
    cache.retain('user:a');
    cache.put(createFamily('f1', 3, ['a']));
    cache.put(createFamily('f1', 2, ['a', 'b']));
    expect(cache.get('f1')?.version).toBe(3);
  });

  test('evicts a family when its last retained principal has left the family or was released', () => {
    const cache = new FamilyCache();
    cache.retain('user:a');
    cache.retain('user:a');
    cache.put(createFamily('f1', 1, ['a', 'b']));
    cache.release('user:a');
    expect(cache.get('f1')).toBeDefined();
    cache.put(createFamily('f1', 2, ['b']));
    expect(cache.get('f1')).toBeUndefined();
    expect(cache.familyIdsOf('user:a')).toEqual([]);
    cache.put(createFamily('f1', 3, ['a', 'b']));
    cache.release('user:a');
    expect(cache.get('f1')).toBeUndefined();
  });

  test('returns the child of a watch until it is unbound', () => {
    const cache = new FamilyCache();
    cache.retain('watch:7');
    cache.put(createFamily('f1', 1, ['a'], [7]));
    expect(cache.childOf('7')).toEqual({ familyId: 'f1', cid: 'child-of-7' });
    cache.put(createFamily('f1', 2, ['a'], []));
    expect(cache.childOf('7')).toBeUndefined();
  });
});
