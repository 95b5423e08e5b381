import { memberHasPermission, isInFamilyGroup } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { ConversationType } from '@family-watch/domain/messages/contracts/conversation';
import type { FriendshipParty } from '@family-watch/domain/friends/contracts/friend.events';
import { deriveMessageId } from '../../../protocol/message-id.js';

/** `user:<userId>`, or `child:<cid>`, for whom the watch speaks that is bound now. */
export type MemberKey = `user:${string}` | `child:${string}`;

export interface PlannedMember {
  member: MemberKey;
  familyId: string;
  /** Of a child. */
  cid: string | null;
  /** Of a child that has a watch. */
  did: number | null;
}

/** A conversation as it should be. */
export interface PlannedConversation {
  conversationId: string;
  type: ConversationType;
  members: PlannedMember[];
}

/** A conversation is known by what it is between, so whoever comes back finds the same one. */
function conversationIdOf(type: ConversationType, ...between: readonly string[]): string {
  return deriveMessageId(['conversation', type, ...between].join(':'));
}

/** The conversations inside a family: of each child with each member who may chat with it, and the family's group. */
export function conversationsOfFamily(family: FamilySnapshot): PlannedConversation[] {
  if (family.dissolved) return [];
  const { familyId } = family;
  const userOf = (userId: string): PlannedMember => ({ member: `user:${userId}`, familyId, cid: null, did: null });
  const children = family.children.map(({ cid, did }) => childMember(familyId, cid, did));
  const direct = family.children.flatMap(({ cid, did }) =>
    family.members
      .filter((member) => memberHasPermission(member, 'CHAT', cid))
      .map(({ userId }): PlannedConversation => ({
        conversationId: conversationIdOf('DIRECT', cid, userId),
        type: 'DIRECT',
        members: [userOf(userId), childMember(familyId, cid, did)],
      })),
  );
  const talking = family.members.filter((member) => isInFamilyGroup(member, family));
  const members = [...talking.map(({ userId }) => userOf(userId)), ...children];
  if (members.length < 2) return direct;
  return [...direct, { conversationId: conversationIdOf('FAMILY', familyId), type: 'FAMILY', members }];
}

/** The conversation of two befriended children. */
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
