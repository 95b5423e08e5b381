import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { resolveActor } from './cloud-actor.js';
import { visibleMembers } from './cloud-members.js';

const member = (userId: string, role: FamilyRole, changes: Partial<MemberSnapshot> = {}): MemberSnapshot => ({
  userId,
  role,
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
    member('contact', FAMILY_ROLE.CONTACT),
    member('zoe', FAMILY_ROLE.GUARDIAN),
    member('adam', FAMILY_ROLE.GUARDIAN),
    member('shut', FAMILY_ROLE.GUARDIAN, { permissions: [] }),
    member('owner', FAMILY_ROLE.OWNER),
    member('caregiver', FAMILY_ROLE.CAREGIVER),
  ],
  children: [
    { cid: 'c1', did: 7 },
    { cid: 'c2', did: null },
  ],
};

const seenBy = (id: string, type: PrincipalType = 'user') =>
  visibleMembers(resolveActor(family, { type, id })!, family).map(
    ({ userId, did, role }) => `${role} ${userId ?? did}`,
  );

const EVERYBODY = [
  'OWNER owner',
  'MANAGER adam',
  'MANAGER shut',
  'MANAGER zoe',
  'MEMBER caregiver',
  'MEMBER contact',
  'CHILD_DEVICE 7',
];

describe('who is known to belong to a cloud', () => {
  test.each([
    ['user', 'owner'],
    ['user', 'zoe'],
    ['user', 'caregiver'],
    ['watch', '7'],
  ] as const)('%s %s knows everybody', (type, id) => {
    expect(seenBy(id, type)).toEqual(EVERYBODY);
  });

  test('whoever may not read knows the owner and themselves', () => {
    expect(seenBy('contact')).toEqual(['OWNER owner', 'MEMBER contact']);
    expect(seenBy('shut')).toEqual(['OWNER owner', 'MANAGER shut']);
  });

  test('the order does not depend on that of the snapshot', () => {
    const turned = { ...family, members: family.members.toReversed() };
    const asking = resolveActor(family, { type: 'user', id: 'owner' })!;
    expect(visibleMembers(asking, turned)).toEqual(visibleMembers(asking, family));
  });
});
