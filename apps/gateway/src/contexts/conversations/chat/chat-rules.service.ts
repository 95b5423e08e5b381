import { Injectable } from '@nestjs/common';
import { areRulesStale } from '@family-watch/domain/child-rules/check-communication';
import type { CommunicationRefusal, CompiledChildRules } from '@family-watch/domain/child-rules/check-communication';
import { ChildRulesLookupService } from '../../projections/child-rules-lookup.service.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import { directMember, checkChatAttempt, childrenWithApplicableRules } from './chat-permission.js';
import type { ChatAttempt } from './chat-permission.js';

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
  async checkAll(
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
      refusals.push(refusal && (await this.areRulesStale(attempt, rules)) ? undefined : refusal);
    }
    return refusals;
  }

  /**
   * Returns whether the rules are older than the membership of the sender or recipient; outdated rules are not applied.
   */
  private async areRulesStale(attempt: ChatAttempt, rules: ReadonlyMap<string, CompiledChildRules>): Promise<boolean> {
    const userId = directMember(attempt);
    const childRules = rules.get(childrenWithApplicableRules(attempt)[0]?.cid ?? '');
    if (userId === undefined || !childRules || childRules.contacts.has(userId)) return false;
    const { version } = await this.families.get(childRules.familyId);
    return areRulesStale(childRules, userId, version);
  }
}
