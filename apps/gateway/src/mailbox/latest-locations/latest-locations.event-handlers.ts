import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent, OnEventBatch } from '@family-watch/platform/jobs/on-event.decorator';
import { LatestLocationRepository, type NewLatestLocation } from './latest-location.repository.js';
import { LatestLocationsService } from './latest-locations.service.js';

type LocationChangedEvent = EventOf<DomainEvents, 'userctx.location.changed'>;

type LocationWithdrawnEvent = EventOf<DomainEvents, 'userctx.location.withdrawn'>;

type LocationEventBatch =
  | { changedByChild: Map<string, LocationChangedEvent> }
  | { withdrawal: LocationWithdrawnEvent };

/** Stores and publishes the latest locations of children. */
@Injectable()
export class LatestLocationsEventHandlers {
  constructor(
    private readonly locations: LatestLocationRepository,
    private readonly latestLocations: LatestLocationsService,
  ) {}

  /** Deletes the location of a child that has left the family. */
  @OnEvent('userctx.family.changed', { handler: 'gateway.locations.delete-former-children' })
  async deleteFormerChildLocations({ payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const cids = payload.dissolved ? [] : payload.children.map(({ cid }) => cid);
    await this.locations.deleteAllBut(payload.familyId, cids);
  }

  /**
   * Stores each child's latest location and sends it to the connected guardians. A location that was withdrawn
   * without a replacement is deleted, so clients that connect afterwards do not receive it. One handler processes
   * changed and withdrawn locations, so that no location is stored after its withdrawal.
   */
  @OnEventBatch(['userctx.location.changed', 'userctx.location.withdrawn'], {
    handler: 'gateway.locations.publish-latest',
  })
  async publishLatestLocation(events: readonly (LocationChangedEvent | LocationWithdrawnEvent)[]): Promise<void> {
    for (const batch of toLocationEventBatches(events)) {
      if ('withdrawal' in batch) await this.withdraw(batch.withdrawal);
      else await this.storeAndPublish([...batch.changedByChild.values()].map(toNewLocation));
    }
  }

  private async withdraw({ payload: { familyId, cid, positionTime } }: LocationWithdrawnEvent): Promise<void> {
    await this.locations.withdraw(familyId, cid, positionTime);
  }

  private async storeAndPublish(locations: readonly NewLatestLocation[]): Promise<void> {
    const storedCids = await this.locations.store(locations);
    for (const location of locations.filter(({ cid }) => storedCids.has(cid)))
      await this.latestLocations.publish(location);
  }
}

/**
 * Splits events into batches that contain each child at most once. Of several locations of a child
 * only the latest is sent, but a correction and the location before or after it are in separate batches.
 */
function toLocationEventBatches(
  events: readonly (LocationChangedEvent | LocationWithdrawnEvent)[],
): LocationEventBatch[] {
  const batches: LocationEventBatch[] = [];
  for (const event of events) {
    const last = batches.at(-1);
    if (event.name === 'userctx.location.withdrawn') batches.push({ withdrawal: event });
    else if (!last || 'withdrawal' in last || !addToBatch(event, last.changedByChild))
      batches.push({ changedByChild: new Map([[event.payload.cid, event]]) });
  }
  return batches;
}

/** Adds the event to the batch; returns false if the event needs a separate batch. */
function addToBatch(event: LocationChangedEvent, batch: Map<string, LocationChangedEvent>): boolean {
  const { cid, location, corrects } = event.payload;
  const earlier = batch.get(cid)?.payload;
  if (earlier && (corrects !== undefined || earlier.corrects !== undefined)) return false;
  if (!earlier || earlier.location.positionTime <= location.positionTime) batch.set(cid, event);
  return true;
}

function toNewLocation({ id, time, payload }: LocationChangedEvent): NewLatestLocation {
  const { familyId, cid, did, location, corrects = null } = payload;
  return { familyId, cid, did, messageId: id, time, location, corrects };
}
