import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { FriendshipProjectionRepository } from './friendship-projection.repository.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import { ShareRepository } from './share.repository.js';

type ChildErasedEvent = 'userctx.child.erased';

/** Deletes shares, grants and friendships of an erased child. */
@Injectable()
export class DeleteChildSharesHandler implements EventHandler<DomainEvents, ChildErasedEvent>, OnModuleInit {
  readonly name = 'mcdisk.sharing.erase-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly friendships: FriendshipProjectionRepository,
    private readonly shares: ShareRepository,
    private readonly grants: MediaGrantRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, ChildErasedEvent>): Promise<void> {
    await this.shares.removeChildContents(familyId, cid);
    await this.grants.deleteByChild(cid);
    await this.friendships.deleteByChild(cid);
  }
}
