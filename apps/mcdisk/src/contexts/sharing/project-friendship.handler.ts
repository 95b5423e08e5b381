import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler, Projection } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { PROJECTION } from '../../infrastructure/mcdisk.projections.js';
import { FriendshipProjectionRepository } from './friendship-projection.repository.js';

type FriendshipChangedEvent = 'userctx.friendship.changed';

/** Stores friendships. Media that two children send each other are readable while the children are friends. */
@Injectable()
export class ProjectFriendshipHandler implements EventHandler<DomainEvents, FriendshipChangedEvent>, OnModuleInit {
  readonly name = 'mcdisk.sharing.friendships';
  readonly event = 'userctx.friendship.changed' as const;
  readonly projection: Projection = {
    name: PROJECTION.FRIENDSHIPS,
    findVersions: (friendshipIds) => this.friendships.findVersions(friendshipIds),
  };

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly friendships: FriendshipProjectionRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, FriendshipChangedEvent>): Promise<void> {
    await this.friendships.upsertIfNewer(payload);
  }
}
