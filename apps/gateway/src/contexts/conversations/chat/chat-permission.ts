import {
  COMMUNICATION_CHANNEL,
  checkWithoutContact,
  checkMember,
} from '@family-watch/domain/child-rules/check-communication';
import type { CommunicationRefusal, CompiledChildRules } from '@family-watch/domain/child-rules/check-communication';
import type { ConversationMembers, ActiveMember } from './conversation-cache.js';

/** Who says something, and who would hear it. */
export interface ChatAttempt {
  speaker: ActiveMember;
  audible: ConversationMembers;
}

/**
 * The children whose rules decide: both of two friends, the one whom a member talks with alone, and of the family's
 * group the one who speaks. What members say to the group is kept for the watch until it shows it after school.
 */
export function childrenWithApplicableRules({ speaker, audible }: ChatAttempt): readonly ActiveMember[] {
  if (audible.audience === 'FAMILY_GROUP') return speaker.cid === null ? [] : [speaker];
  return audible.activeMembers.filter(({ cid }) => cid !== null);
}

/** The member who talks with a child alone, if this is between such two. */
export function directMember({ audible }: ChatAttempt): string | undefined {
  if (audible.audience === 'FAMILY_GROUP') return undefined;
  return audible.activeMembers.find(({ cid }) => cid === null)?.member.slice('user:'.length);
}

/** Why this may not be said now (Unix milliseconds). A child whose rules are not known does not forbid it. */
export function checkChatAttempt(
  speech: ChatAttempt,
  rules: ReadonlyMap<string, CompiledChildRules>,
  now: number,
): CommunicationRefusal | undefined {
  const userId = directMember(speech);
  for (const { cid } of childrenWithApplicableRules(speech)) {
    const known = rules.get(cid ?? '');
    const refusal = known && refusalBy(known, userId, now);
    if (refusal) return refusal;
  }
  return undefined;
}

function refusalBy(
  rules: CompiledChildRules,
  userId: string | undefined,
  now: number,
): CommunicationRefusal | undefined {
  return userId === undefined
    ? checkWithoutContact(rules, now)
    : checkMember(rules, userId, COMMUNICATION_CHANNEL.CHAT, now);
}
