import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { FenceRepository } from './fence.repository.js';
import { FenceEventRepository } from './fence-event.repository.js';
import { FenceMonitorRepository } from './fence-monitor.repository.js';

/** Erases the fences of an erased child and their events. */
@Injectable()
export class EraseChildFencesHandler implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit {
  readonly name = 'userctx.fences.erase-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly fences: FenceRepository,
    private readonly monitors: FenceMonitorRepository,
    private readonly events: FenceEventRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    // The lock waits for concurrent evaluations of the child's fences. Evaluations after the erasure find no fences.
    await this.monitors.lockChild(cid);
    for (const repository of [this.fences, this.monitors, this.events]) await repository.erase({ familyId, cid });
  }
}
