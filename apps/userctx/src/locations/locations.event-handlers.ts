import { Injectable } from '@nestjs/common';
import { OnEvent, OnEventBatch, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { LocationIntakeService } from './location-intake.service.js';
import { LocationRepository } from './location.repository.js';
import { LocationRequestRepository } from './location-request.repository.js';
import { LocationShareRepository } from './location-share.repository.js';
import { LocationSharesService } from './location-shares.service.js';

/** Stores reported locations, and deletes those of erased children. */
@Injectable()
export class LocationsEventHandlers {
  constructor(
    private readonly points: LocationRepository,
    private readonly requests: LocationRequestRepository,
    private readonly shares: LocationShareRepository,
    private readonly intake: LocationIntakeService,
    private readonly sharingService: LocationSharesService,
  ) {}

  /** Deletes all location data of an erased child, including corrections, requests and shares. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.locations.erase-child' })
  async eraseChildLocations({ payload: { cid } }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    // Taking the lock waits for a location report that is being processed. Reports that are processed later are
    // dropped, because the watch is no longer bound to the child.
    await this.points.lockChild(cid);
    await this.points.erase(cid);
    await this.requests.erase(cid);
    await this.shares.erase(cid);
  }

  /** Stores the points that watches sent through the gateway. Points of an unbound watch are dropped. */
  @OnEventBatch('gateway.location.reported', { handler: 'userctx.locations.store-reported-points' })
  async storeReportedPoints(events: readonly HandledEvent<'gateway.location.reported'>[]): Promise<void> {
    await this.intake.processAll(events.map(({ payload }) => payload));
  }

  /**
   * Ends location shares permanently when the family changes so that their creator may no longer share the location:
   * the creator was removed or lost a permission, or the child was deleted.
   */
  @OnEvent('userctx.family.changed', { handler: 'userctx.locations.end-unauthorized-shares' })
  async endUnauthorizedShares({ payload: { familyId } }: HandledEvent<'userctx.family.changed'>): Promise<void> {
    await this.sharingService.endUnauthorized(familyId);
  }
}
