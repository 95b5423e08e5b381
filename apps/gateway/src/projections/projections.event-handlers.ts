import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { EventOf } from '@family-watch/event-bus/event-map';
import type { PubSub } from '@family-watch/event-bus/pub-sub';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { PROJECTION, PEER_PUB_SUB, GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import { ChildRulesLookupService } from './child-rules-lookup.service.js';
import { ConnectedFamiliesService, FAMILY_CHANGED_SUBJECT } from './connected-families.service.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

type ChildRulesEvent = 'userctx.child-rules.changed' | 'userctx.child.erased';

/** Stores the projections of families and child rules from the events of userctx. */
@Injectable()
export class ProjectionsEventHandlers {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly families: FamilyProjectionRepository,
    private readonly connectedFamilies: ConnectedFamiliesService,
    private readonly familyEvents: FamilyEventMonitor,
    private readonly rules: ChildRulesLookupService,
    @Inject(PEER_PUB_SUB) private readonly pubSub: PubSub,
  ) {}

  /** Stores the latest snapshot of each family and publishes it to all nodes after the commit. */
  @OnEvent('userctx.family.changed', {
    handler: 'gateway.families.store-snapshot',
    projection: {
      name: PROJECTION.FAMILIES,
      findVersions: (self: ProjectionsEventHandlers, familyIds) => self.families.findVersions(familyIds),
    },
  })
  async storeFamilySnapshot({ payload, time }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const isNewer = await this.families.store(payload);
    this.unitOfWork.afterCommit(() => {
      if (isNewer) {
        // This node applies the snapshot first: the next notification of this commit may be a message that a removed
        // member must not receive.
        this.connectedFamilies.applySnapshot(payload);
        this.pubSub.publish(FAMILY_CHANGED_SUBJECT, payload);
      }
      this.familyEvents.recordEvent(familyPrincipals(payload), time);
    });
  }

  /**
   * Stores the newest rules of each child. One handler processes rule changes and erasures, so that no rules are stored
   * after the child was erased.
   */
  @OnEvent(['userctx.child-rules.changed', 'userctx.child.erased'], {
    handler: 'gateway.child-rules.store-newest',
    projection: {
      name: PROJECTION.CHILD_RULES,
      findVersions: (self: ProjectionsEventHandlers, cids) => self.rules.findVersions(cids),
    },
  })
  async storeChildRules({ name, payload }: EventOf<DomainEvents, ChildRulesEvent>): Promise<void> {
    if (name === 'userctx.child.erased') await this.rules.delete(payload.cid);
    else await this.rules.store(payload);
  }
}
