import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { Audience } from '@family-watch/domain/messages/contracts/message-center';

/** An active member of a conversation, with the data that delivery needs. */
export interface ActiveMember {
  member: MemberKey;
  /** Principal of the member, or `undefined` for a child without a watch. */
  principal: PrincipalKey | undefined;
  familyId: string;
  /** Id of the child, or `null` if the member is a user. */
  cid: string | null;
  did: number | null;
}

/** The active members of a conversation at one revision. */
export interface ConversationMembers {
  revision: number;
  audience: Audience;
  activeMembers: readonly ActiveMember[];
}

const MAX_CONVERSATIONS = 50_000;

/**
 * Cache of conversation members. An entry is valid if its revision equals the revision of the locked conversation row.
 */
export class ConversationCache {
  private readonly entries = new Map<string, ConversationMembers>();

  find(conversationId: string, revision: number): ConversationMembers | undefined {
    const found = this.entries.get(conversationId);
    return found?.revision === revision ? found : undefined;
  }

  put(conversationId: string, members: ConversationMembers): void {
    // If the conversation of the evicted, oldest entry is still in use, one query caches its members again.
    if (this.entries.size >= MAX_CONVERSATIONS) this.entries.delete(this.entries.keys().next().value ?? '');
    this.entries.set(conversationId, members);
  }
}
