import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { FenceScheduleService } from './fence-schedule.service.js';

type Change = 'userctx.child.updated' | 'userctx.child.deleted' | 'userctx.watch.bound' | 'userctx.watch.unbound';

/** What ends what is known of where the child is. */
const ENDS: readonly Change[] = ['userctx.child.deleted', 'userctx.watch.unbound'];

/** The child's time zone may be another one; without a watch nobody knows where it is, and nobody is waited for. */
@Injectable()
export class RefreshFenceScheduleHandler implements EventHandler<DomainEvents, Change>, OnModuleInit {
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
    this.consumer.register<Change>(this);
  }

  async handle({ name, payload: { familyId, cid } }: EventOf<DomainEvents, Change>): Promise<void> {
    await this.schedule.onChildContextChanged({ familyId, cid }, { anew: ENDS.includes(name) });
  }
}
