import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { FenceScheduleService } from './fence-schedule.service.js';

type TriggerEvent = 'userctx.child.updated' | 'userctx.child.deleted' | 'userctx.watch.bound' | 'userctx.watch.unbound';

/** Events after which the child's location is unknown. */
const RESETTING_EVENTS: readonly TriggerEvent[] = ['userctx.child.deleted', 'userctx.watch.unbound'];

/**
 * Recomputes due times when the time zone or the watch of a child changes. Without a watch the location is unknown and
 * the child is not expected anywhere.
 */
@Injectable()
export class RefreshFenceScheduleHandler implements EventHandler<DomainEvents, TriggerEvent>, OnModuleInit {
  readonly name = 'userctx.fences.follow-child';
  readonly event = [
    'userctx.child.updated',
    'userctx.child.deleted',
    'userctx.watch.bound',
    'userctx.watch.unbound',
  ] as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly schedule: FenceScheduleService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<TriggerEvent>(this);
  }

  async handle({ name, payload: { familyId, cid } }: EventOf<DomainEvents, TriggerEvent>): Promise<void> {
    await this.schedule.onWatchOrTimeZoneChanged({ familyId, cid }, { reset: RESETTING_EVENTS.includes(name) });
  }
}
