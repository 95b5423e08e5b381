import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler, Projection } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { PROJECTION } from '../../../infrastructure/gateway.projections.js';
import { ConversationMembershipService } from './conversation-membership.service.js';

/** Opens or closes the conversation of two friends when their friendship changes. */
@Injectable()
export class SyncFriendConversationHandler
  implements EventHandler<DomainEvents, 'userctx.friendship.changed'>, OnModuleInit
{
  readonly name = 'gateway.conversations.follow-friendship';
  readonly event = 'userctx.friendship.changed';
  readonly projection: Projection = {
    name: PROJECTION.FRIEND_CONVERSATIONS,
    findVersions: (ids) => this.conversations.findVersions('friendship', ids),
  };

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly conversations: ConversationMembershipService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, time, payload }: EventOf<DomainEvents, 'userctx.friendship.changed'>): Promise<void> {
    await this.conversations.applyFriendship(payload, { id, time });
  }
}
