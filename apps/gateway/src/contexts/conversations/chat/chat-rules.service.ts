import { Injectable } from '@nestjs/common';
import { areStaleFor } from '@family-watch/domain/child-rules/check-communication';
import type { CommunicationRefusal, CompiledChildRules } from '@family-watch/domain/child-rules/check-communication';
import { ChildRulesLookupService } from '../../child-rules/child-rules-lookup.service.js';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import { directMember, checkChatAttempt, childrenWithApplicableRules } from './chat-permission.js';
import type { ChatAttempt } from './chat-permission.js';

/** What the rules of children forbid to be said. */
@Injectable()
export class ChatRulesService {
  constructor(
    private readonly rules: ChildRulesLookupService,
    private readonly families: FamilyLookupService,
  ) {}

  /** For each of these why it may not be said now (Unix milliseconds), in their order; nothing where it may. */
  async checkAll(
    speeches: readonly (ChatAttempt | undefined)[],
    now: number,
  ): Promise<readonly (CommunicationRefusal | undefined)[]> {
    const cids = speeches.flatMap((speech) =>
      speech ? childrenWithApplicableRules(speech).map(({ cid }) => cid ?? '') : [],
    );
    const rules = await this.rules.findByChildren(new Set(cids));
    const refusals: (CommunicationRefusal | undefined)[] = [];
    for (const speech of speeches) {
      const refusal = speech && checkChatAttempt(speech, rules, now);
      refusals.push(refusal && (await this.areLate(speech, rules)) ? undefined : refusal);
    }
    return refusals;
  }

  /** Rules that are older than the membership of who speaks or is spoken to forbid nothing. */
  private async areLate(speech: ChatAttempt, rules: ReadonlyMap<string, CompiledChildRules>): Promise<boolean> {
    const userId = directMember(speech);
    const known = rules.get(childrenWithApplicableRules(speech)[0]?.cid ?? '');
    if (userId === undefined || !known || known.contacts.has(userId)) return false;
    const { version } = await this.families.get(known.familyId);
    return areStaleFor(known, userId, version);
  }
}
