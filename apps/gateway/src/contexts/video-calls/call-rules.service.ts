import { Inject, Injectable } from '@nestjs/common';
import {
  areRulesStale,
  COMMUNICATION_CHANNEL,
  checkMember,
} from '@family-watch/domain/child-rules/check-communication';
import type { CommunicationRefusal } from '@family-watch/domain/child-rules/check-communication';
import type { Clock } from '@family-watch/event-bus/clock';
import { GatewayProjections, PROJECTION, CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { ChildRulesLookupService } from '../projections/child-rules-lookup.service.js';
import { FamilyLookupService } from '../projections/family-lookup.service.js';
import type { CallParties } from './video-call.js';

/** Checks calls against the child's communication rules. */
@Injectable()
export class CallRulesService {
  constructor(
    private readonly rules: ChildRulesLookupService,
    private readonly families: FamilyLookupService,
    private readonly projections: GatewayProjections,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns why the parties may not start a call now, or `undefined` if they may. Locks the rules for share until the
   * current transaction ends: a concurrent change of the rules waits, and can then end the call that the old rules
   * allowed.
   * @throws ServiceError OVERLOADED while the rules of the child are unknown
   */
  async findRefusal({ familyId, cid, userId }: CallParties): Promise<CommunicationRefusal | undefined> {
    this.projections.assertKnown(PROJECTION.CHILD_RULES, familyId);
    const rules = await this.rules.lockForShare(cid);
    if (!rules) return undefined;
    const { version } = await this.families.get(familyId);
    if (areRulesStale(rules, userId, version)) return undefined;
    return checkMember(rules, userId, COMMUNICATION_CHANNEL.VIDEO, this.clock.now());
  }
}
