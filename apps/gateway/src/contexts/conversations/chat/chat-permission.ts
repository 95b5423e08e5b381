import {
  COMMUNICATION_CHANNEL,
  checkWithoutContact,
  checkMember,
} from '@family-watch/domain/child-rules/check-communication';
import type { CommunicationRefusal, CompiledChildRules } from '@family-watch/domain/child-rules/check-communication';
import type { ConversationMembers, ActiveMember } from './conversation-cache.js';

/** The sender of a message and the members of its conversation. */
export interface ChatAttempt {
  sender: ActiveMember;
  members: ConversationMembers;
}

/**
 * Returns the children whose rules apply to a message. The rules of both children apply in a conversation of friends,
 * the rules of the child in a direct conversation, and only the rules of a sending child in the family group. Messages
 * of members to the family group are stored for the watch, which shows them after school time.
 */
export function childrenWithApplicableRules({ sender, members }: ChatAttempt): readonly ActiveMember[] {
  if (members.audience === 'FAMILY_GROUP') return sender.cid === null ? [] : [sender];
  return members.activeMembers.filter(({ cid }) => cid !== null);
}

/** Returns the user id of the member in a direct conversation with a child; otherwise `undefined`. */
export function directMember({ members }: ChatAttempt): string | undefined {
  if (members.audience === 'FAMILY_GROUP') return undefined;
  return members.activeMembers.find(({ cid }) => cid === null)?.member.slice('user:'.length);
}

/**
 * Returns why the message may not be sent at `now` (Unix milliseconds), or `undefined` if the message may be sent. A
 * child without stored rules restricts no messages.
 */
export function checkChatAttempt(
  attempt: ChatAttempt,
  rules: ReadonlyMap<string, CompiledChildRules>,
  now: number,
): CommunicationRefusal | undefined {
  const userId = directMember(attempt);
  for (const { cid } of childrenWithApplicableRules(attempt)) {
    const childRules = rules.get(cid ?? '');
    const refusal = childRules && checkRules(childRules, userId, now);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkRules(
  rules: CompiledChildRules,
  userId: string | undefined,
  now: number,
): CommunicationRefusal | undefined {
  return userId === undefined
    ? checkWithoutContact(rules, now)
    : checkMember(rules, userId, COMMUNICATION_CHANNEL.CHAT, now);
}
