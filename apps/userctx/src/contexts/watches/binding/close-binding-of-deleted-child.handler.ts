import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { WatchBindingService } from './watch-binding.service.js';

/** Closes the binding of a deleted child's watch, which can then be bound again. */
@Injectable()
export class CloseBindingOfDeletedChildHandler
  implements EventHandler<DomainEvents, 'userctx.child.deleted'>, OnModuleInit
{
  readonly name = 'userctx.watches.end-binding-of-deleted-child';
  readonly event = 'userctx.child.deleted' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly bindings: WatchBindingService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, 'userctx.child.deleted'>): Promise<void> {
    if (payload.did !== null) await this.bindings.endBindingOfDeletedChild(payload.did, payload.cid, time);
  }
}
