import type { ConversationType } from '@family-watch/domain/messages/contracts/conversation';
import type { MemberKey, PlannedConversation, PlannedMember } from './conversation-plan.js';

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
  closed: boolean;
  /** New members, and former members that rejoin. */
  joined: StoredMember[];
  left: StoredMember[];
  /** Members that belong to the conversation before and after the change. */
  stayed: StoredMember[];
  /** Children that belong to the conversation before and after the change, with different watches. */
  rebound: StoredMember[];
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
  const joined = [...after.values()].filter(({ member }) => !before.has(member));
  const left = [...before.values()].filter(({ member }) => !after.has(member));
  const stayed = [...after.values()].filter(({ member }) => before.has(member));
  const rebound = stayed.filter(({ member, did }) => before.get(member)?.did !== did);
  if (joined.length + left.length + rebound.length === 0) return undefined;
  return { conversationId, type, isNew: !stored, closed: after.size === 0, joined, left, stayed, rebound };
}
