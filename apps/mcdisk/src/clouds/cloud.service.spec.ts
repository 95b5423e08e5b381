import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE, type FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { resolveActor } from './cloud-actor.js';
import { visibleMembers } from './cloud.service.js';

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
    member('withoutCloud', FAMILY_ROLE.GUARDIAN, { permissions: [] }),
    member('owner', FAMILY_ROLE.OWNER),
    member('caregiver', FAMILY_ROLE.CAREGIVER),
  ],
  children: [
    { cid: 'c1', did: 7 },
    { cid: 'c2', did: null },
  ],
};

const visiblePrincipals = (id: string, type: PrincipalType = 'user') =>
  visibleMembers(resolveActor(family, { type, id })!, family).map(
    ({ userId, did, role }) => `${role} ${userId ?? did}`,
  );

const ALL_MEMBERS = [
  'OWNER owner',
  'MANAGER adam',
  'MANAGER withoutCloud',
  'MANAGER zoe',
  'MEMBER caregiver',
  'MEMBER contact',
  'CHILD_DEVICE 7',
];

describe('visibleMembers', () => {
  test.each([
    ['user', 'owner'],
    ['user', 'zoe'],
    ['user', 'caregiver'],
    ['watch', '7'],
  ] as const)('returns all members and watches to principal %s:%s', (type, id) => {
    expect(visiblePrincipals(id, type)).toEqual(ALL_MEMBERS);
  });

  test('returns only the owner and the actor to members without the right to read', () => {
    expect(visiblePrincipals('contact')).toEqual(['OWNER owner', 'MEMBER contact']);
    expect(visiblePrincipals('withoutCloud')).toEqual(['OWNER owner', 'MANAGER withoutCloud']);
  });

  test('returns the same order, whatever the order of members in the snapshot', () => {
    const reversed = { ...family, members: family.members.toReversed() };
    const actor = resolveActor(family, { type: 'user', id: 'owner' })!;
    expect(visibleMembers(actor, reversed)).toEqual(visibleMembers(actor, family));
  });
});
