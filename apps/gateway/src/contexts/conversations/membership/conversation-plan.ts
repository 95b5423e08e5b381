import { memberHasPermission, isInFamilyGroup } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { ConversationType, MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { FriendshipParty } from '@family-watch/domain/friends/contracts/friend';
import { deriveMessageId } from '../../mailbox/mailbox-entry.js';

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
