import { Injectable } from '@nestjs/common';
import {
  COMMUNICATION_CHANNEL,
  checkWithoutContact,
  checkMember,
  areRulesStale,
  type CommunicationRefusal,
  type CompiledChildRules,
} from '@family-watch/domain/watches/check-communication';
import { ChildRulesLookupService } from '../../projections/child-rules-lookup.service.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import type { ConversationMembers, ActiveMember } from './conversation-members.js';

/** The sender of a message and the members of its conversation. */
export interface ChatAttempt {
  sender: ActiveMember;
  members: ConversationMembers;
}

/** Checks chat messages against the child rules. */
@Injectable()
export class ChatRulesService {
  constructor(
    private readonly rules: ChildRulesLookupService,
    private readonly families: FamilyLookupService,
  ) {}

  /**
   * Returns for each attempt, in order, why its message may not be sent at `now` (Unix milliseconds), or `undefined`.
   */
  async findRefusals(
    attempts: readonly (ChatAttempt | undefined)[],
    now: number,
  ): Promise<readonly (CommunicationRefusal | undefined)[]> {
    const cids = attempts.flatMap((attempt) =>
      attempt ? childrenWithApplicableRules(attempt).map(({ cid }) => cid ?? '') : [],
    );
    const rules = await this.rules.findByChildren(new Set(cids));
    const refusals: (CommunicationRefusal | undefined)[] = [];
    for (const attempt of attempts) {
      const refusal = attempt && checkChatAttempt(attempt, rules, now);
      refusals.push(refusal && (await this.isRefusedByStaleRules(attempt, rules)) ? undefined : refusal);
    }
    return refusals;
  }

  /**
   * Returns whether an attempt was refused by rules that are older than the membership of the sender or recipient; such
   * a refusal is ignored.
   */
  private async isRefusedByStaleRules(
    attempt: ChatAttempt,
    rules: ReadonlyMap<string, CompiledChildRules>,
  ): Promise<boolean> {
    const userId = directMemberUserId(attempt);
    const childRules = rules.get(childrenWithApplicableRules(attempt)[0]?.cid ?? '');
    if (userId === undefined || !childRules || childRules.contacts.has(userId)) return false;
    const { version } = await this.families.get(childRules.familyId);
    return areRulesStale(childRules, userId, version);
  }
}

/**
 * Returns the children whose rules apply to a message. The rules of both children apply in a conversation of friends,
 * the rules of the child in a direct conversation, and only the rules of a sending child in the family group. Messages
 * of members to the family group are stored for the watch, which shows them after school time.
 */
function childrenWithApplicableRules({ sender, members }: ChatAttempt): readonly ActiveMember[] {
  if (members.audience === 'FAMILY_GROUP') return sender.cid === null ? [] : [sender];
  return members.activeMembers.filter(({ cid }) => cid !== null);
}

/** Returns the user id of the member in a direct conversation with a child; otherwise `undefined`. */
function directMemberUserId({ members }: ChatAttempt): string | undefined {
  if (members.audience === 'FAMILY_GROUP') return undefined;
  return members.activeMembers.find(({ cid }) => cid === null)?.member.slice('user:'.length);
}

/**
 * Returns why the message may not be sent at `now` (Unix milliseconds), or `undefined` if the message may be sent. A
 * child without stored rules restricts no messages.
 */
function checkChatAttempt(
  attempt: ChatAttempt,
  rules: ReadonlyMap<string, CompiledChildRules>,
  now: number,
): CommunicationRefusal | undefined {
  const userId = directMemberUserId(attempt);
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
