import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { FriendChangesService } from './friend-changes.service.js';
import { FriendshipRepository } from './friendship.repository.js';

type ChildGone = 'userctx.child.deleted' | 'userctx.child.erased';

/** A deleted child's friendships end and do not come back with it; of an erased one's nothing is kept. */
@Injectable()
export class EndChildFriendshipsHandler implements EventHandler<DomainEvents, ChildGone>, OnModuleInit {
  readonly name = 'userctx.friends.end-for-child-gone';
  // One handler, so that nothing is ended after it was erased.
  readonly event = ['userctx.child.deleted', 'userctx.child.erased'] as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly friendships: FriendshipRepository,
    private readonly changes: FriendChangesService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<ChildGone>(this);
  }

  async handle({ name, payload: { familyId, cid } }: EventOf<DomainEvents, ChildGone>): Promise<void> {
    if (name === 'userctx.child.erased') return this.friendships.erase({ familyId, cid });
    for (const friendship of await this.friendships.lockAll({ familyId, cid })) {
      await this.changes.apply(friendship, { type: 'CLOSE' });
    }
  }
}
