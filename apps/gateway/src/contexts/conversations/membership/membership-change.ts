import type { ConversationType } from '@family-watch/domain/messages/contracts/conversation';
import type { MemberKey, PlannedConversation, PlannedMember } from './conversation-plan.js';

/** A member as it is stored; one that has left stays, with where it stood. */
export interface StoredMember extends PlannedMember {
  active: boolean;
}

/** A conversation as it is stored. */
export interface StoredConversation {
  conversationId: string;
  type: ConversationType;
  members: StoredMember[];
}

/** What has to be written of one conversation, and who is to be told. */
export interface MembershipChange {
  conversationId: string;
  type: ConversationType;
  isNew: boolean;
  closed: boolean;
  /** New ones, and those who come back. */
  joined: StoredMember[];
  left: StoredMember[];
  /** Who stays while others come or go. */
  stayed: StoredMember[];
  /** Children who stay, with another watch than before. */
  rebound: StoredMember[];
}

/** What turns the conversation as it is into the one that is wanted; `undefined` when nothing does. */
export function diffMembership(
  stored: StoredConversation | undefined,
  wanted: Pick<PlannedConversation, 'conversationId' | 'type' | 'members'>,
): MembershipChange | undefined {
  const { conversationId, type } = wanted;
  const before = new Map<MemberKey, StoredMember>(
    (stored?.members ?? []).filter(({ active }) => active).map((each) => [each.member, each]),
  );
  const after = new Map<MemberKey, StoredMember>(
    wanted.members.map((each) => [each.member, { ...each, active: true }]),
  );
  const joined = [...after.values()].filter(({ member }) => !before.has(member));
  const left = [...before.values()].filter(({ member }) => !after.has(member));
  const stayed = [...after.values()].filter(({ member }) => before.has(member));
  const rebound = stayed.filter(({ member, did }) => before.get(member)?.did !== did);
  if (joined.length + left.length + rebound.length === 0) return undefined;
  return { conversationId, type, isNew: !stored, closed: after.size === 0, joined, left, stayed, rebound };
}
