import { Injectable } from '@nestjs/common';
import { familyPrincipals, type FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { PROJECTION, McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from './cloud.repository.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

/** Keeps the projection of the families of userctx, and the quotas that families have paid for. */
@Injectable()
export class CloudsEventHandlers {
  constructor(
    private readonly projections: FamilyProjectionRepository,
    private readonly clouds: CloudRepository,
    private readonly familyEvents: FamilyEventMonitor,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Stores the snapshot of a family, and creates the family's cloud when the family has its first child. */
  @OnEvent('userctx.family.changed', {
    handler: 'mcdisk.clouds.family-projection',
    projection: {
      name: PROJECTION.FAMILIES,
      findVersions: (self: CloudsEventHandlers, familyIds) => self.projections.findVersions(familyIds),
    },
  })
  async projectFamily({ payload, time }: DomainEvent<'userctx.family.changed', FamilySnapshot>): Promise<void> {
    const principals = familyPrincipals(payload);
    if (await this.projections.upsertIfNewer(payload, principals)) {
      if (payload.children.length > 0) await this.clouds.createIfAbsent(payload.familyId, time);
    }
    this.unitOfWork.afterCommit(() => {
      this.familyEvents.notifyChanged(payload.familyId);
      this.familyEvents.recordEvent(principals, time);
    });
  }

  /**
   * Changes the quota of a family's cloud to what the family has paid for. The family's first child and the payment may
   * be processed in any order, so a paid quota creates the cloud. Without paid bytes the cloud may already be deleted.
   */
  @OnEvent('userctx.entitlement.changed', { handler: 'mcdisk.clouds.paid-quota' })
  async changeQuota({ payload, time }: HandledEvent<'userctx.entitlement.changed'>): Promise<void> {
    if (payload.cloudBytes > 0) await this.clouds.createIfAbsent(payload.familyId, time);
    await this.clouds.setPaidBytes(payload.familyId, payload);
  }
}
