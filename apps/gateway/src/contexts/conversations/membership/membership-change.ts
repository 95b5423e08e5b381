import type { ConversationType, MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { PlannedConversation, PlannedMember } from './conversation-plan.js';

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
