import { Injectable } from '@nestjs/common';
import { areLateFor } from '@family-watch/domain/child-rules/may-reach';
import type { ReachRefusal, ReachRules } from '@family-watch/domain/child-rules/may-reach';
import { KnownRules } from '../../child-rules/known-rules.service.js';
import { KnownFamilies } from '../../families/known-families.service.js';
import { memberAlone, refusalOfSpeech, ruledChildren } from './chat-reach.js';
import type { Speech } from './chat-reach.js';

/** What the rules of children forbid to be said. */
@Injectable()
export class ChatRules {
  constructor(
    private readonly rules: KnownRules,
    private readonly families: KnownFamilies,
  ) {}

  /** For each of these why it may not be said now (Unix milliseconds), in their order; nothing where it may. */
  async refusalsOf(
    speeches: readonly (Speech | undefined)[],
    now: number,
  ): Promise<readonly (ReachRefusal | undefined)[]> {
    const cids = speeches.flatMap((speech) => (speech ? ruledChildren(speech).map(({ cid }) => cid ?? '') : []));
    const rules = await this.rules.of(new Set(cids));
    const refusals: (ReachRefusal | undefined)[] = [];
    for (const speech of speeches) {
      const refusal = speech && refusalOfSpeech(speech, rules, now);
      refusals.push(refusal && (await this.areLate(speech, rules)) ? undefined : refusal);
    }
    return refusals;
  }

  /** Rules that are older than the membership of who speaks or is spoken to forbid nothing. */
  private async areLate(speech: Speech, rules: ReadonlyMap<string, ReachRules>): Promise<boolean> {
    const userId = memberAlone(speech);
    const known = rules.get(ruledChildren(speech)[0]?.cid ?? '');
    if (userId === undefined || !known || known.contacts.has(userId)) return false;
    const { version } = await this.families.get(known.familyId);
    return areLateFor(known, userId, version);
  }
}
