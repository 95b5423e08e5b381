import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { FriendChangesService } from './friend-changes.service.js';
import { FriendshipRepository } from './friendship.repository.js';

type ChildRemoval = 'userctx.child.deleted' | 'userctx.child.erased';

/**
 * Ends the friendships of a deleted child; restoring the child does not restore its friendships. Deletes all
 * friendships of an erased child.
 */
@Injectable()
export class EndChildFriendshipsHandler implements EventHandler<DomainEvents, ChildRemoval>, OnModuleInit {
  readonly name = 'userctx.friends.end-for-child-gone';
  // One handler processes deletion and erasure in order, so that no friendship is ended after its erasure.
  readonly event = ['userctx.child.deleted', 'userctx.child.erased'] as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly friendships: FriendshipRepository,
    private readonly changes: FriendChangesService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<ChildRemoval>(this);
  }

  async handle({ name, payload: { familyId, cid } }: EventOf<DomainEvents, ChildRemoval>): Promise<void> {
    if (name === 'userctx.child.erased') return this.friendships.erase({ familyId, cid });
    for (const friendship of await this.friendships.lockAll({ familyId, cid })) {
      await this.changes.apply(friendship, { type: 'CLOSE' });
    }
  }
}
