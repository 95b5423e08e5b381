import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import type { PubSub } from '@family-watch/event-bus/pub-sub';
import { OnEvent } from '@family-watch/platform/events/on-event.decorator';
import { PROJECTION, PEER_PUB_SUB, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService, FAMILY_CHANGED_SUBJECT } from './connected-families.service.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

/** Projects families from userctx. */
@Injectable()
export class FamiliesEventHandlers {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly families: FamilyProjectionRepository,
    private readonly connectedFamilies: ConnectedFamiliesService,
    @Inject(PEER_PUB_SUB) private readonly pubSub: PubSub,
  ) {}

  /** Stores the latest snapshot of each family and publishes it to all nodes after the commit. */
  @OnEvent('userctx.family.changed', {
    handler: 'gateway.families.keep-snapshot',
    projection: {
      name: PROJECTION.FAMILIES,
      findVersions: (self: FamiliesEventHandlers, familyIds) => self.families.findVersions(familyIds),
    },
  })
  async storeFamilySnapshot({ payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const isNewer = await this.families.store(payload);
    if (!isNewer) return;
    this.unitOfWork.afterCommit(() => {
      // This node applies the snapshot first: the next notification of this commit may be a message that a removed
      // member must not receive.
      this.connectedFamilies.applySnapshot(payload);
      this.pubSub.publish(FAMILY_CHANGED_SUBJECT, payload);
    });
  }
}
