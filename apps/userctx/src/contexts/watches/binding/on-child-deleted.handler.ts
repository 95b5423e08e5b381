import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { WatchBindingService } from './watch-binding.service.js';

/** A deleted child's watch is unbound: from then on it can be bound anew. */
@Injectable()
export class OnChildDeleted implements EventHandler<DomainEvents, 'userctx.child.deleted'> {
  readonly name = 'userctx.watches.end-binding-of-deleted-child';
  readonly event = 'userctx.child.deleted' as const;

  constructor(private readonly bindings: WatchBindingService) {}

  async handle({ payload, time }: EventOf<DomainEvents, 'userctx.child.deleted'>): Promise<void> {
    if (payload.did !== null) await this.bindings.closeHistory(payload.did, payload.cid, time);
  }
}
