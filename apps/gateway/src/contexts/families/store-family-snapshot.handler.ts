import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler, Projection } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import type { PubSub } from '@family-watch/event-bus/pub-sub';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { PROJECTION } from '../../infrastructure/gateway.projections.js';
import { PEER_PUB_SUB } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { FAMILY_CHANGED_SUBJECT, ConnectedFamiliesService } from './connected-families.service.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

/** Stores the latest snapshot of each family and publishes it to all nodes after the commit. */
@Injectable()
export class StoreFamilySnapshotHandler implements EventHandler<DomainEvents, 'userctx.family.changed'>, OnModuleInit {
  readonly name = 'gateway.families.keep-snapshot';
  readonly event = 'userctx.family.changed';
  readonly projection: Projection = {
    name: PROJECTION.FAMILIES,
    findVersions: (familyIds) => this.families.findVersions(familyIds),
  };

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly families: FamilyProjectionRepository,
    private readonly connectedFamilies: ConnectedFamiliesService,
    @Inject(PEER_PUB_SUB) private readonly pubSub: PubSub,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
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
