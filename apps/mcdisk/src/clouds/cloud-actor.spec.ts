import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import { resolveActor, hasRight, canSee } from './cloud-actor.js';

const member = (userId: string, changes: Partial<MemberSnapshot>): MemberSnapshot => ({
  userId,
  role: FAMILY_ROLE.GUARDIAN,
  permissions: ['CLOUD'],
  childPermissions: {},
  ...changes,
});

const family: FamilySnapshot = {
  familyId: 'f',
  version: 1,
  ownerUserId: 'owner',
  dissolved: false,
  members: [
    member('owner', { role: FAMILY_ROLE.OWNER, permissions: [] }),
    member('guardian', {}),
    member('caregiver', { role: FAMILY_ROLE.CAREGIVER }),
    member('contact', { role: FAMILY_ROLE.CONTACT }),
    member('withoutCloud', { permissions: ['LOCATION'] }),
    member('only', { permissions: [], childPermissions: { c1: ['CLOUD'] } }),
    member('allBut', { childPermissions: { c1: [] } }),
  ],
  children: [
    { cid: 'c1', did: 7 },
    { cid: 'c2', did: null },
  ],
};

const resolveUser = (id: string) => resolveActor(family, { type: 'user', id });

describe('resolveActor', () => {
  test.each([
    ['owner', 'OWNER', 'READ ADD DELETE PURGE'],
    ['guardian', 'MANAGER', 'READ ADD DELETE'],
    ['caregiver', 'MEMBER', 'READ ADD'],
    ['contact', 'MEMBER', ''],
    ['withoutCloud', 'MANAGER', ''],
    ['only', 'MANAGER', 'READ ADD DELETE'],
  ])('resolves user %s with role %s and rights "%s"', (id, role, rights) => {
    expect(resolveUser(id)).toMatchObject({ role, rights: rights ? rights.split(' ') : [], cid: null });
  });

  test('resolves a watch to the actor of its child', () => {
    const actor = resolveActor(family, { type: 'watch', id: '7' });
    expect(actor).toMatchObject({ role: 'CHILD_DEVICE', cid: 'c1', principal: 'watch:7' });
    expect(actor && hasRight(actor, 'PURGE')).toBe(false);
  });

  test.each([
    ['user', 'nobody'],
    ['user', '7'],
    ['watch', 'owner'],
    ['watch', 'null'],
    ['watch', '8'],
    ['operator', 'owner'],
  ] as const)('returns undefined for principal %s:%s, which is not in the family', (type, id) => {
    expect(resolveActor(family, { type, id })).toBeUndefined();
  });

  test('returns undefined in a dissolved family', () => {
    const dissolved = { ...family, dissolved: true };
    expect(resolveActor(dissolved, { type: 'user', id: 'owner' })).toBeUndefined();
    expect(resolveActor(dissolved, { type: 'watch', id: '7' })).toBeUndefined();
  });
});

describe('canSee', () => {
  test.each([
    ['owner', true, true, true],
    ['guardian', true, true, true],
    ['only', true, true, false],
    ['allBut', true, false, true],
  ])(
    'for user %s returns %s for a content of the family, %s for one of child c1 and %s for one of child c2',
    (id, ofFamily, ofFirst, ofSecond) => {
      const actor = resolveUser(id)!;
      expect([canSee(actor, null), canSee(actor, 'c1'), canSee(actor, 'c2')]).toEqual([ofFamily, ofFirst, ofSecond]);
    },
  );
});
