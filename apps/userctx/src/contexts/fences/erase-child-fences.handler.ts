import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { FenceRepository } from './fence.repository.js';
import { FenceEventRepository } from './fence-event.repository.js';
import { FenceMonitorRepository } from './fence-monitor.repository.js';

/** Of an erased child neither the fences are kept nor what they told. */
@Injectable()
export class EraseChildFencesHandler implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit {
  readonly name = 'userctx.fences.erase-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly fences: FenceRepository,
    private readonly watched: FenceMonitorRepository,
    private readonly events: FenceEventRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    // Whoever is judging the child is waited for, and finds no fences afterwards.
    await this.watched.lockChild(cid);
    for (const store of [this.fences, this.watched, this.events]) await store.erase({ familyId, cid });
  }
}
