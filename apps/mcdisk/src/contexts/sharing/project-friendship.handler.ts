import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { FriendshipProjectionRepository } from './friendship-projection.repository.js';

type FriendshipChangedEvent = 'userctx.friendship.changed';

/** Stores friendships. Media that two children send each other are readable while the children are friends. */
@Injectable()
export class ProjectFriendshipHandler implements EventHandler<DomainEvents, FriendshipChangedEvent>, OnModuleInit {
  readonly name = 'mcdisk.sharing.friendships';
  readonly event = 'userctx.friendship.changed' as const;

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
