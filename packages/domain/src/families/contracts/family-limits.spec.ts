import { describe, expect, test } from '@jest/globals';
import { FAMILY_LIMITS } from './family.js';
import { CHILD_PERMISSION, FAMILY_ROLE, effectivePermissions } from './family-role.js';
import type { FamilySnapshot } from './membership.js';

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

describe('FAMILY_LIMITS', () => {
  test('limit the snapshot of the largest possible family to the maximum size of an event (32 KiB)', () => {
    const allPermissions = Object.values(CHILD_PERMISSION);
    const cids = Array.from({ length: FAMILY_LIMITS.children }, (_, index) => uuid(index));
    const snapshot: FamilySnapshot = {
      familyId: uuid(900),
      version: 2_147_483_647,
      ownerUserId: uuid(901),
      dissolved: false,
      members: Array.from({ length: FAMILY_LIMITS.members }, (_, index) => ({
        userId: uuid(1_000 + index),
        role: FAMILY_ROLE.GUARDIAN,
        permissions: allPermissions,
        childPermissions: Object.fromEntries(cids.map((cid) => [cid, allPermissions])),
      })),
      children: cids.map((cid) => ({ cid, did: Number.MAX_SAFE_INTEGER })),
    };
    expect(Buffer.byteLength(JSON.stringify(snapshot))).toBeLessThanOrEqual(32 * 1024);
  });
});

describe('effectivePermissions', () => {
  test('drops permissions that the role cannot have, adds those that the role always has, and orders all', () => {
    expect(effectivePermissions(FAMILY_ROLE.CAREGIVER, ['SETTINGS', 'CALL', 'LOCATION', 'CALL'])).toEqual([
      'LOCATION',
      'CALL',
    ]);
    expect(effectivePermissions(FAMILY_ROLE.GUARDIAN, [])).toEqual(['LOCATION', 'CHAT']);
    expect(effectivePermissions(FAMILY_ROLE.OWNER, [])).toEqual(Object.values(CHILD_PERMISSION));
  });
});
