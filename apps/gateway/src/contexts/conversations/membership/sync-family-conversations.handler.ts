import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler, Projection } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { PROJECTION } from '../../../infrastructure/gateway.projections.js';
import { ConversationMembershipService } from './conversation-membership.service.js';

/** Updates the conversations within a family when the family changes. */
@Injectable()
export class SyncFamilyConversationsHandler
  implements EventHandler<DomainEvents, 'userctx.family.changed'>, OnModuleInit
{
  readonly name = 'gateway.conversations.follow-family';
  readonly event = 'userctx.family.changed';
  readonly projection: Projection = {
    name: PROJECTION.FAMILY_CONVERSATIONS,
    findVersions: (ids) => this.conversations.findVersions('family', ids),
  };

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly conversations: ConversationMembershipService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, time, payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    await this.conversations.applyFamilySnapshot(payload, { id, time });
  }
}
