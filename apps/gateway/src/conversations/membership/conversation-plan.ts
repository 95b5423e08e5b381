import {
  memberHasPermission,
  isInFamilyGroup,
  type FamilySnapshot,
} from '@family-watch/domain/families/contracts/membership';
import type { FriendshipParty } from '@family-watch/domain/families/contracts/friend';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type {
  ConversationType,
  MemberKey,
  ConversationChange,
  ConversationChangePayload,
} from '@family-watch/domain/messages/contracts/chat';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import { deriveMessageId, toMailboxEntries, type MailboxEntry } from '../../mailbox/mailbox-entry.js';

export interface PlannedMember {
  member: MemberKey;
  familyId: string;
  /** Id of the child, or `null` if the member is a user. */
  cid: string | null;
  /** Id of the watch, or `null` for a user and for a child without a watch. */
  did: number | null;
}

/** A conversation that must exist according to a family snapshot or a friendship, with its members. */
export interface PlannedConversation {
  conversationId: string;
  type: ConversationType;
  members: PlannedMember[];
}

/** Derives the conversation id from the ids of its parties, so parties that rejoin get the same conversation. */
function conversationIdOf(type: ConversationType, ...parties: readonly string[]): string {
  return deriveMessageId(['conversation', type, ...parties].join(':'));
}

/**
 * Returns the conversations within a family: each child with each member who may chat with it, and the family group.
 */
export function conversationsOfFamily(family: FamilySnapshot): PlannedConversation[] {
  if (family.dissolved) return [];
  const { familyId } = family;
  const userMember = (userId: string): PlannedMember => ({ member: `user:${userId}`, familyId, cid: null, did: null });
  const children = family.children.map(({ cid, did }) => childMember(familyId, cid, did));
  const direct = family.children.flatMap(({ cid, did }) =>
    family.members
      .filter((member) => memberHasPermission(member, 'CHAT', cid))
      .map(({ userId }): PlannedConversation => ({
        conversationId: conversationIdOf('DIRECT', cid, userId),
        type: 'DIRECT',
        members: [userMember(userId), childMember(familyId, cid, did)],
      })),
  );
  const groupMembers = family.members.filter((member) => isInFamilyGroup(member, family));
  const members = [...groupMembers.map(({ userId }) => userMember(userId)), ...children];
  if (members.length < 2) return direct;
  return [...direct, { conversationId: conversationIdOf('FAMILY', familyId), type: 'FAMILY', members }];
}

/** Returns the conversation of two friends. */
export function conversationOfFriends(friendshipId: string, sides: readonly FriendshipParty[]): PlannedConversation {
  return {
    conversationId: conversationIdOf('FRIENDS', friendshipId),
    type: 'FRIENDS',
    members: sides.map(({ familyId, cid, did }) => childMember(familyId, cid, did)),
  };
}

function childMember(familyId: string, cid: string, did: number | null): PlannedMember {
  return { member: `child:${cid}`, familyId, cid, did };
}

/** A member of a conversation as stored; a former member is kept as inactive, with delivered and read marks. */
export interface StoredMember extends PlannedMember {
  active: boolean;
}

/** A conversation as it is stored. */
export interface StoredConversation {
  conversationId: string;
  type: ConversationType;
  members: StoredMember[];
}

/** The changes to write for one conversation, and the members to notify. */
export interface MembershipChange {
  conversationId: string;
  type: ConversationType;
  isNew: boolean;
  isClosed: boolean;
  /** New members, and former members that rejoin. */
  joinedMembers: StoredMember[];
  leavingMembers: StoredMember[];
  /** Members that belong to the conversation before and after the change. */
  remainingMembers: StoredMember[];
  /** Children that belong to the conversation before and after the change, with different watches. */
  membersWithNewWatch: StoredMember[];
}

/** Returns the changes from the stored to the planned conversation, or `undefined` if nothing changes. */
export function diffMembership(
  stored: StoredConversation | undefined,
  planned: Pick<PlannedConversation, 'conversationId' | 'type' | 'members'>,
): MembershipChange | undefined {
  const { conversationId, type } = planned;
  const before = new Map<MemberKey, StoredMember>(
    (stored?.members ?? []).filter(({ active }) => active).map((each) => [each.member, each]),
  );
  const after = new Map<MemberKey, StoredMember>(
    planned.members.map((each) => [each.member, { ...each, active: true }]),
  );
  const joinedMembers = [...after.values()].filter(({ member }) => !before.has(member));
  const leavingMembers = [...before.values()].filter(({ member }) => !after.has(member));
  const remainingMembers = [...after.values()].filter(({ member }) => before.has(member));
  const membersWithNewWatch = remainingMembers.filter(({ member, did }) => before.get(member)?.did !== did);
  if (joinedMembers.length + leavingMembers.length + membersWithNewWatch.length === 0) return undefined;
  return {
    conversationId,
    type,
    isNew: !stored,
    isClosed: after.size === 0,
    joinedMembers,
    leavingMembers,
    remainingMembers,
    membersWithNewWatch,
  };
}

/** The event that caused a change of a conversation's members. */
export interface ChangeCause {
  /** Id of the event. */
  id: string;
  /** Unix milliseconds. */
  time: number;
}

/** Returns the principal of a member, or `undefined` for a child without a watch. */
export function memberPrincipal({
  member,
  cid,
  did,
}: Pick<PlannedMember, 'member' | 'cid' | 'did'>): PrincipalKey | undefined {
  if (cid === null) return member as PrincipalKey;
  return did === null ? undefined : `watch:${did}`;
}

/**
 * Creates notices about a change of members, with `change` CREATED for members who joined, MEMBERS_CHANGED for members
 * who stayed and CLOSED for members who left. A former member who also left the family receives nothing.
 */
export function conversationChangeNotices(
  { conversationId, joinedMembers, remainingMembers, leavingMembers }: MembershipChange,
  cause: ChangeCause,
): MailboxEntry[] {
  if (joinedMembers.length + leavingMembers.length === 0) return [];
  const noticesFor = (members: readonly PlannedMember[], change: ConversationChange) =>
    members.flatMap((member) => conversationChangeNoticeFor(member, { conversationId, change }, cause));
  return [
    ...noticesFor(joinedMembers, 'CREATED'),
    ...noticesFor(remainingMembers, 'MEMBERS_CHANGED'),
    ...noticesFor(leavingMembers, 'CLOSED'),
  ];
}

/** Creates the notice about a conversation for one member; none if the member has no principal. */
export function conversationChangeNoticeFor(
  member: PlannedMember,
  payload: ConversationChangePayload,
  cause: ChangeCause,
): MailboxEntry[] {
  const recipient = memberPrincipal(member);
  if (!recipient) return [];
  const { familyId, cid, did } = member;
  const { conversationId, change, messageId = '' } = payload;
  return toMailboxEntries([recipient], {
    familyId,
    cid,
    audience: 'MEMBERS',
    source: [cause.id, conversationId, change, messageId].join(':'),
    kind: 'ConversationChangeNoticeMessage',
    time: cause.time,
    from: SYSTEM_SENDER,
    did,
    payload,
  });
}
