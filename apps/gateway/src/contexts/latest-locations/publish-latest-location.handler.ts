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
 * Keeps each child's newest position and shows it to the guardians who are connected. One that turned out wrong, with
 * none to take its place, is shown to nobody who connects from then on.
 */
@Injectable()
export class PublishLatestLocationHandler implements EventHandler<DomainEvents, LocationEvent>, OnModuleInit {
  readonly name = 'gateway.positions.show-location';
  // One handler, so that a position is not stored after it was withdrawn.
  readonly event = ['userctx.location.changed', 'userctx.location.withdrawn'] as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly positions: LatestLocationRepository,
    private readonly families: ConnectedFamiliesService,
    private readonly wakeUps: MailboxNotifier,
  ) {}

  onModuleInit(): void {
    this.consumer.register<LocationEvent>(this);
  }

  handle(event: LocationChanged | LocationWithdrawn): Promise<void> {
    return this.handleBatch([event]);
  }

  async handleBatch(events: readonly (LocationChanged | LocationWithdrawn)[]): Promise<void> {
    for (const step of stepsOf(events)) {
      if ('withdrawn' in step) await this.forget(step.withdrawn);
      else await this.show([...step.changed.values()].map(newPosition));
    }
  }

  private async forget({ payload: { familyId, cid, positionTime } }: LocationWithdrawn): Promise<void> {
    await this.positions.withdraw(familyId, cid, positionTime);
  }

  private async show(positions: readonly NewLatestLocation[]): Promise<void> {
    const kept = await this.positions.store(positions);
    for (const position of positions.filter(({ cid }) => kept.has(cid))) {
      const family = await this.families.find(position.familyId);
      if (!family) continue;
      const latest = toLatestLocationMessage(position);
      const recipients = filterRecipients(latest.subject, family);
      this.unitOfWork.afterCommit(() => this.wakeUps.publishLatest(recipients, latest));
    }
  }
}

type Step = { changed: Map<string, LocationChanged> } | { withdrawn: LocationWithdrawn };

/** In a step every child is once. Only the newest of a child is shown, but what is corrected comes where it came. */
function stepsOf(events: readonly (LocationChanged | LocationWithdrawn)[]): Step[] {
  const steps: Step[] = [];
  for (const event of events) {
    const last = steps.at(-1);
    if (event.name === 'userctx.location.withdrawn') steps.push({ withdrawn: event });
    else if (!last || 'withdrawn' in last || !joins(event, last.changed))
      steps.push({ changed: new Map([[event.payload.cid, event]]) });
  }
  return steps;
}

/** Puts it into the step if it fits there. */
function joins(event: LocationChanged, step: Map<string, LocationChanged>): boolean {
  const { cid, location, corrects } = event.payload;
  const earlier = step.get(cid)?.payload;
  if (earlier && (corrects !== undefined || earlier.corrects !== undefined)) return false;
  if (!earlier || earlier.location.positionTime <= location.positionTime) step.set(cid, event);
  return true;
}

function newPosition({ id, time, payload }: LocationChanged): NewLatestLocation {
  const { familyId, cid, did, location, corrects = null } = payload;
  return { familyId, cid, did, messageId: id, time, location, corrects };
}
