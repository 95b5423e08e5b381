import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import { conversationOfFriends, conversationsOfFamily } from './conversation-plan.js';
import type { PlannedConversation } from './conversation-plan.js';
import { diffMembership } from './membership-change.js';
import type { StoredConversation } from './membership-change.js';

const member = (userId: string, role: MemberSnapshot['role'], permissions: MemberSnapshot['permissions'] = []) => ({
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
    member('owner', FAMILY_ROLE.OWNER),
    member('carer', FAMILY_ROLE.CAREGIVER, ['LOCATION']),
    member('friend', FAMILY_ROLE.CONTACT, ['CHAT']),
  ],
  children: [
    { cid: 'c1', did: 11 },
    { cid: 'c2', did: null },
  ],
};

const named = (planned: readonly PlannedConversation[]) =>
  planned.map(({ type, members }) => [type, ...members.map((each) => each.member)].join(' ')).toSorted();

describe('the conversations of a family', () => {
  test('are of each child with who may chat with it, and one of who sees the children', () => {
    expect(named(conversationsOfFamily(family))).toEqual([
      'DIRECT user:friend child:c1',
      'DIRECT user:friend child:c2',
      'DIRECT user:owner child:c1',
      'DIRECT user:owner child:c2',
      'FAMILY user:owner child:c1 child:c2',
    ]);
  });

  test('are none without children, and none of a dissolved family', () => {
    expect(conversationsOfFamily({ ...family, children: [] })).toEqual([]);
    expect(conversationsOfFamily({ ...family, dissolved: true })).toEqual([]);
  });

  test('keep their ids whatever changes around them, and no two are alike', () => {
    const before = conversationsOfFamily(family).map(({ conversationId }) => conversationId);
    const children = family.children.map(({ cid }) => ({ cid, did: 99 }));
    const after = conversationsOfFamily({ ...family, version: 2, children }).map((each) => each.conversationId);
    expect(after).toEqual(before);
    const friends = conversationOfFriends('f', []).conversationId;
    expect(new Set([...before, friends]).size).toBe(before.length + 1);
  });
});

describe('the change of a conversation', () => {
  const [wanted] = conversationsOfFamily(family) as [PlannedConversation];
  const stored: StoredConversation = {
    ...wanted,
    members: wanted.members.map((each) => ({ ...each, active: true })),
  };
  const names = (members: readonly { member: string }[] = []) => members.map((each) => each.member);

  test('is nothing when it is as it should be', () => {
    expect(diffMembership(stored, wanted)).toBeUndefined();
    expect(diffMembership(undefined, { ...wanted, members: [] })).toBeUndefined();
  });

  test('is everybody when it is new', () => {
    const change = diffMembership(undefined, wanted);
    expect([change?.isNew, change?.closed, names(change?.joined)]).toEqual([true, false, ['user:owner', 'child:c1']]);
  });

  test('says who leaves, comes back and stays', () => {
    const closed = diffMembership(stored, { ...wanted, members: [] });
    expect([closed?.closed, names(closed?.left)]).toEqual([true, ['user:owner', 'child:c1']]);
    const [owner, child] = stored.members as [StoredConversation['members'][0], StoredConversation['members'][0]];
    const back = diffMembership({ ...stored, members: [{ ...owner, active: false }, child] }, wanted);
    expect([names(back?.joined), names(back?.stayed), names(back?.left)]).toEqual([['user:owner'], ['child:c1'], []]);
  });

  test('is another watch alone when nobody comes or goes', () => {
    const members = wanted.members.map((each) => (each.cid === null ? each : { ...each, did: 12 }));
    const change = diffMembership(stored, { ...wanted, members });
    expect([change?.joined, change?.left, change?.rebound.map(({ did }) => did)]).toEqual([[], [], [12]]);
  });
});
