import { Inject, Injectable } from '@nestjs/common';
import { areLateFor, REACH_CHANNEL, refusalOfMember } from '@family-watch/domain/child-rules/may-reach';
import type { ReachRefusal } from '@family-watch/domain/child-rules/may-reach';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { KnownRules } from '../child-rules/known-rules.service.js';
import { KnownFamilies } from '../families/known-families.service.js';
import type { CallPair } from './video-call.js';

/** What the rules of a child say of a call. */
@Injectable()
export class CallRules {
  constructor(
    private readonly rules: KnownRules,
    private readonly families: KnownFamilies,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Why the two may not begin a call now; undefined where they may. The rules stand until the open unit of work ends,
   * so whoever changes them finds the call that they have allowed.
   */
  async refusalOf({ familyId, cid, userId }: CallPair): Promise<ReachRefusal | undefined> {
    const rules = await this.rules.hold(cid);
    if (!rules) return undefined;
    const { version } = await this.families.get(familyId);
    if (areLateFor(rules, userId, version)) return undefined;
    return refusalOfMember(rules, userId, REACH_CHANNEL.VIDEO, this.clock.now());
  }
}
