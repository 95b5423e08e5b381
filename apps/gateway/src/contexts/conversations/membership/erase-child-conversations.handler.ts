import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { ConversationErasureService } from './conversation-erasure.service.js';

/** Erases all messages that an erased child sent, or that were sent only to the child. */
@Injectable()
export class EraseChildConversationsHandler
  implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit
{
  readonly name = 'gateway.conversations.erase-child';
  readonly event = 'userctx.child.erased';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly erasure: ConversationErasureService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.erasure.erase(payload.cid);
  }
}
