import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Audience } from '@family-watch/domain/messages/contracts/message-center';
import { mayReceive, filterRecipients } from './delivery-access.js';

const createMember = (
  userId: string,
  role: MemberSnapshot['role'],
  overrides: Partial<MemberSnapshot> = {},
): MemberSnapshot => ({
  userId,
  role,
  permissions: [],
  childPermissions: {},
  ...overrides,
});

const family: FamilySnapshot = {
  familyId: 'f',
  version: 1,
  ownerUserId: 'owner',
  dissolved: false,
  members: [
    createMember('owner', FAMILY_ROLE.OWNER),
    createMember('guardian', FAMILY_ROLE.GUARDIAN, { permissions: ['LOCATION'], childPermissions: { c2: [] } }),
    createMember('caregiver', FAMILY_ROLE.CAREGIVER),
    createMember('friend', FAMILY_ROLE.CONTACT, { permissions: ['LOCATION', 'CHAT'] }),
  ],
  children: [
    { cid: 'c1', did: 11 },
    { cid: 'c2', did: null },
  ],
};

const messageSubject = (cid: string, audience: Audience) => ({ familyId: 'f', cid, audience });

describe('mayReceive', () => {
  test.each<[Audience, string, string[]]>([
    ['MEMBERS', 'c1', ['owner', 'guardian', 'caregiver', 'friend']],
    ['GUARDIANS', 'c1', ['owner', 'guardian', 'caregiver']],
    // A caregiver is in the family group only with the CHAT permission for at least one child.
    ['FAMILY_GROUP', 'c1', ['owner', 'guardian']],
    ['LOCATION', 'c1', ['owner', 'guardian']],
    ['LOCATION', 'c2', ['owner']],
    ['CHAT', 'c1', ['owner', 'friend']],
  ])('audience %s of a message about child %s selects the users %p', (audience, cid, users) => {
    expect(filterRecipients(messageSubject(cid, audience), family)).toEqual(users.map((id) => `user:${id}`));
  });

  test('delivers family group messages to a caregiver who may chat with one of the children', () => {
    const caregiver = createMember('caregiver', FAMILY_ROLE.CAREGIVER, { childPermissions: { c2: ['CHAT'] } });
    const subject = { familyId: 'f', cid: null, audience: 'FAMILY_GROUP' } as const;
    expect(mayReceive('user:caregiver', subject, { ...family, members: [caregiver] })).toBe(true);
    expect(mayReceive('user:friend', subject, family)).toBe(false);
  });

  test('delivers only messages about its own child to a watch', () => {
    expect(mayReceive('watch:11', messageSubject('c1', 'GUARDIANS'), family)).toBe(true);
    expect(mayReceive('watch:11', messageSubject('c2', 'GUARDIANS'), family)).toBe(false);
    expect(mayReceive('watch:12', messageSubject('c1', 'GUARDIANS'), family)).toBe(false);
  });

  test('delivers no messages of a dissolved or unknown family', () => {
    expect(mayReceive('user:owner', messageSubject('c1', 'MEMBERS'), { ...family, dissolved: true })).toBe(false);
    expect(mayReceive('user:owner', messageSubject('c1', 'MEMBERS'), undefined)).toBe(false);
  });

  test('distinguishes a user from a watch with the same id', () => {
    expect(mayReceive('user:11', messageSubject('c1', 'MEMBERS'), family)).toBe(false);
  });

  test('delivers messages without a family to any principal', () => {
    expect(mayReceive('user:x', { familyId: null, cid: null, audience: 'MEMBERS' }, undefined)).toBe(true);
  });
});
