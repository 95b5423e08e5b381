import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { EventHandler, Projection } from '@family-watch/event-bus/event-handler';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { PROJECTION } from '../../infrastructure/mcdisk.projections.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { CloudRepository } from './cloud.repository.js';
import { FamilyEventMonitor } from './family-event-monitor.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

type FamilyChangedEvent = 'userctx.family.changed';

/** Stores the snapshot of a family, and creates its cloud when it has its first child. */
@Injectable()
export class ProjectFamilyHandler implements EventHandler<DomainEvents, FamilyChangedEvent>, OnModuleInit {
  readonly name = 'mcdisk.clouds.family-projection';
  readonly event = 'userctx.family.changed';
  readonly projection: Projection = {
    name: PROJECTION.FAMILIES,
    findVersions: (familyIds) => this.projections.findVersions(familyIds),
  };

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly projections: FamilyProjectionRepository,
    private readonly clouds: CloudRepository,
    private readonly familyEvents: FamilyEventMonitor,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: DomainEvent<FamilyChangedEvent, FamilySnapshot>): Promise<void> {
    const principals = familyPrincipals(payload);
    if (await this.projections.upsertIfNewer(payload, principals)) {
      if (payload.children.length > 0) await this.clouds.createIfAbsent(payload.familyId, time);
    }
    this.unitOfWork.afterCommit(() => {
      this.familyEvents.notifyChanged(payload.familyId);
      this.familyEvents.recordEvent(principals, time);
    });
  }
}
