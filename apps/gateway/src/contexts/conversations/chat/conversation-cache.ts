import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Audience } from '../../../protocol/delivery-access.js';
import type { MemberKey } from '../membership/conversation-plan.js';

/** A member who is there now, as messages are delivered to it. */
export interface ActiveMember {
  member: MemberKey;
  /** `undefined`: a child without a watch. */
  principal: PrincipalKey | undefined;
  familyId: string;
  /** Of a child. */
  cid: string | null;
  did: number | null;
}

/** Who hears what is said in a conversation, at one revision of it. */
export interface ConversationMembers {
  revision: number;
  audience: Audience;
  activeMembers: readonly ActiveMember[];
}

const MAX_CONVERSATIONS = 50_000;

/** Members of conversations, each valid for the revision that the locked row shows. */
export class ConversationCache {
  private readonly known = new Map<string, ConversationMembers>();

  find(conversationId: string, revision: number): ConversationMembers | undefined {
    const found = this.known.get(conversationId);
    return found?.revision === revision ? found : undefined;
  }

  put(conversationId: string, audible: ConversationMembers): void {
    // The oldest is forgotten first; one that is in use comes back with one query.
    if (this.known.size >= MAX_CONVERSATIONS) this.known.delete(this.known.keys().next().value ?? '');
    this.known.set(conversationId, audible);
  }
}
