import { expect, test } from '@jest/globals';
import { FAMILY_ROLE } from './family-role.js';
import { familyPrincipals, type FamilySnapshot } from './membership.js';

const family: FamilySnapshot = {
  familyId: 'f',
  version: 1,
  ownerUserId: 'anna',
  dissolved: false,
  members: ['anna', 'ben'].map((userId) => ({
    userId,
    role: FAMILY_ROLE.OWNER,
    permissions: [],
    childPermissions: {},
  })),
  children: [
    { cid: 'c1', did: 11 },
    { cid: 'c2', did: null },
  ],
};

test('familyPrincipals returns members and bound watches', () => {
  expect(familyPrincipals(family)).toEqual(['user:anna', 'user:ben', 'watch:11']);
});

test('familyPrincipals returns an empty list for a dissolved family', () => {
  expect(familyPrincipals({ ...family, dissolved: true })).toEqual([]);
});
