import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import {
  conversationOfFriends,
  conversationsOfFamily,
  diffMembership,
  type PlannedConversation,
  type StoredConversation,
} from './conversation-plan.js';

const createMember = (
  userId: string,
  role: MemberSnapshot['role'],
  permissions: MemberSnapshot['permissions'] = [],
) => ({
  userId,
  role,
  permissions,
  childPermissions: {},
});

const family: FamilySnapshot = {
  familyId: 'f',
  version: 1,
  ownerUserId: 'owner',
  dissolved: false,
  members: [
    createMember('owner', FAMILY_ROLE.OWNER),
    createMember('caregiver', FAMILY_ROLE.CAREGIVER, ['LOCATION']),
    createMember('nanny', FAMILY_ROLE.CAREGIVER, ['CHAT']),
    createMember('friend', FAMILY_ROLE.CONTACT, ['CHAT']),
  ],
  children: [
    { cid: 'c1', did: 11 },
    { cid: 'c2', did: null },
  ],
};

const summaries = (planned: readonly PlannedConversation[]) =>
  planned.map(({ type, members }) => [type, ...members.map((each) => each.member)].join(' ')).toSorted();

describe('conversationsOfFamily and conversationOfFriends', () => {
  test('plan one conversation per child and member who may chat, and a family group without contacts', () => {
    expect(summaries(conversationsOfFamily(family))).toEqual([
      'DIRECT user:friend child:c1',
      'DIRECT user:friend child:c2',
      'DIRECT user:nanny child:c1',
      'DIRECT user:nanny child:c2',
      'DIRECT user:owner child:c1',
      'DIRECT user:owner child:c2',
      'FAMILY user:owner user:nanny child:c1 child:c2',
    ]);
  });

  test('plan no conversation for a family without children or a dissolved family', () => {
    expect(conversationsOfFamily({ ...family, children: [] })).toEqual([]);
    expect(conversationsOfFamily({ ...family, dissolved: true })).toEqual([]);
  });

  test('derive stable and unique conversation ids', () => {
    const before = conversationsOfFamily(family).map(({ conversationId }) => conversationId);
    const children = family.children.map(({ cid }) => ({ cid, did: 99 }));
    const after = conversationsOfFamily({ ...family, version: 2, children }).map((each) => each.conversationId);
    expect(after).toEqual(before);
    const friends = conversationOfFriends('f', []).conversationId;
    expect(new Set([...before, friends]).size).toBe(before.length + 1);
  });
});

describe('diffMembership', () => {
  const [planned] = conversationsOfFamily(family) as [PlannedConversation];
  const stored: StoredConversation = {
    ...planned,
    members: planned.members.map((each) => ({ ...each, active: true })),
  };
  const memberKeys = (members: readonly { member: string }[] = []) => members.map((each) => each.member);

  test('returns undefined when nothing changes', () => {
    expect(diffMembership(stored, planned)).toBeUndefined();
    expect(diffMembership(undefined, { ...planned, members: [] })).toBeUndefined();
  });

  test('returns all members as joined for a new conversation', () => {
    const change = diffMembership(undefined, planned);
    expect([change?.isNew, change?.isClosed, memberKeys(change?.joinedMembers)]).toEqual([
      true,
      false,
      ['user:owner', 'child:c1'],
    ]);
  });

  test('returns the members who left, rejoined and stayed', () => {
    const closed = diffMembership(stored, { ...planned, members: [] });
    expect([closed?.isClosed, memberKeys(closed?.leavingMembers)]).toEqual([true, ['user:owner', 'child:c1']]);
    const [owner, child] = stored.members as [StoredConversation['members'][0], StoredConversation['members'][0]];
    const rejoined = diffMembership({ ...stored, members: [{ ...owner, active: false }, child] }, planned);
    expect([
      memberKeys(rejoined?.joinedMembers),
      memberKeys(rejoined?.remainingMembers),
      memberKeys(rejoined?.leavingMembers),
    ]).toEqual([['user:owner'], ['child:c1'], []]);
  });

  test('returns only the child with the new watch when a watch changes and nobody joins or leaves', () => {
    const members = planned.members.map((each) => (each.cid === null ? each : { ...each, did: 12 }));
    const change = diffMembership(stored, { ...planned, members });
    expect([change?.joinedMembers, change?.leavingMembers, change?.membersWithNewWatch.map(({ did }) => did)]).toEqual([
      [],
      [],
      [12],
    ]);
  });
});
