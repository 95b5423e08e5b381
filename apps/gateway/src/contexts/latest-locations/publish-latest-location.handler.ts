import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { filterRecipients } from '../../protocol/delivery-access.js';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import { MailboxNotifier } from '../mailbox/mailbox-notifier.js';
import { LatestLocationRepository } from './latest-location.repository.js';
import type { NewLatestLocation } from './latest-location.repository.js';
import { toLatestLocationMessage } from './latest-locations.service.js';

type LocationEvent = 'userctx.location.changed' | 'userctx.location.withdrawn';
type LocationChanged = EventOf<DomainEvents, 'userctx.location.changed'>;
type LocationWithdrawn = EventOf<DomainEvents, 'userctx.location.withdrawn'>;

/**
 * Stores each child's latest location and sends it to the connected guardians. A location that was withdrawn without a
 * replacement is deleted, so clients that connect afterwards do not receive it.
 */
@Injectable()
export class PublishLatestLocationHandler implements EventHandler<DomainEvents, LocationEvent>, OnModuleInit {
  readonly name = 'gateway.positions.show-location';
  // One handler processes changed and withdrawn locations, so that no location is stored after its withdrawal.
  readonly event = ['userctx.location.changed', 'userctx.location.withdrawn'] as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly locations: LatestLocationRepository,
    private readonly families: ConnectedFamiliesService,
    private readonly notifier: MailboxNotifier,
  ) {}

  onModuleInit(): void {
    this.consumer.register<LocationEvent>(this);
  }

  handle(event: LocationChanged | LocationWithdrawn): Promise<void> {
    return this.handleBatch([event]);
  }

  async handleBatch(events: readonly (LocationChanged | LocationWithdrawn)[]): Promise<void> {
    for (const batch of toBatches(events)) {
      if ('withdrawal' in batch) await this.withdraw(batch.withdrawal);
      else await this.storeAndPublish([...batch.changedByChild.values()].map(toNewLocation));
    }
  }

  private async withdraw({ payload: { familyId, cid, positionTime } }: LocationWithdrawn): Promise<void> {
    await this.locations.withdraw(familyId, cid, positionTime);
  }

  private async storeAndPublish(locations: readonly NewLatestLocation[]): Promise<void> {
    const storedCids = await this.locations.store(locations);
    for (const newLocation of locations.filter(({ cid }) => storedCids.has(cid))) {
      const family = await this.families.find(newLocation.familyId);
      if (!family) continue;
      const latest = toLatestLocationMessage(newLocation);
      const recipients = filterRecipients(latest.subject, family);
      this.unitOfWork.afterCommit(() => this.notifier.publishLatest(recipients, latest));
    }
  }
}

type EventBatch = { changedByChild: Map<string, LocationChanged> } | { withdrawal: LocationWithdrawn };

/**
 * Splits events into batches that contain each child at most once. Of several locations of a child only the latest is
 * sent; corrections keep their order.
 */
function toBatches(events: readonly (LocationChanged | LocationWithdrawn)[]): EventBatch[] {
  const batches: EventBatch[] = [];
  for (const event of events) {
    const last = batches.at(-1);
    if (event.name === 'userctx.location.withdrawn') batches.push({ withdrawal: event });
    else if (!last || 'withdrawal' in last || !addToBatch(event, last.changedByChild))
      batches.push({ changedByChild: new Map([[event.payload.cid, event]]) });
  }
  return batches;
}

/** Adds the event to the batch; returns false if the event needs a separate batch. */
function addToBatch(event: LocationChanged, batch: Map<string, LocationChanged>): boolean {
  const { cid, location, corrects } = event.payload;
  const earlier = batch.get(cid)?.payload;
  if (earlier && (corrects !== undefined || earlier.corrects !== undefined)) return false;
  if (!earlier || earlier.location.positionTime <= location.positionTime) batch.set(cid, event);
  return true;
}

function toNewLocation({ id, time, payload }: LocationChanged): NewLatestLocation {
  const { familyId, cid, did, location, corrects = null } = payload;
  return { familyId, cid, did, messageId: id, time, location, corrects };
}
