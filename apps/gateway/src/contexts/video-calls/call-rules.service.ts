import { Inject, Injectable } from '@nestjs/common';
import { areStaleFor, COMMUNICATION_CHANNEL, checkMember } from '@family-watch/domain/child-rules/check-communication';
import type { CommunicationRefusal } from '@family-watch/domain/child-rules/check-communication';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { ChildRulesLookupService } from '../child-rules/child-rules-lookup.service.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';
import type { CallParties } from './video-call.js';

/** What the rules of a child say of a call. */
@Injectable()
export class CallRulesService {
  constructor(
    private readonly rules: ChildRulesLookupService,
    private readonly families: FamilyLookupService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Why the two may not begin a call now; undefined where they may. The rules stand until the open unit of work ends,
   * so whoever changes them finds the call that they have allowed.
   */
  async check({ familyId, cid, userId }: CallParties): Promise<CommunicationRefusal | undefined> {
    const rules = await this.rules.lockForShare(cid);
    if (!rules) return undefined;
    const { version } = await this.families.get(familyId);
    if (areStaleFor(rules, userId, version)) return undefined;
    return checkMember(rules, userId, COMMUNICATION_CHANNEL.VIDEO, this.clock.now());
  }
}
