import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { JoinRequestRepository } from './join-request.repository.js';

/** Removes an erased child from the join requests that were made through the child's watch. */
@Injectable()
export class ClearChildFromJoinRequestsHandler
  implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit
{
  readonly name = 'userctx.memberships.forget-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly joinRequests: JoinRequestRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.joinRequests.clearChild(familyId, cid);
  }
}
