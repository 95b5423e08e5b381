import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { AlertRepository } from '../alert.repository.js';
import { CenterMessageRepository } from '../center-message.repository.js';

/** Deletes all center messages and alerts about a child that is erased, seven days after its deletion. */
@Injectable()
export class DeleteChildCenterMessagesHandler
  implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit
{
  readonly name = 'gateway.message-center.forget-child';
  readonly event = 'userctx.child.erased';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly messages: CenterMessageRepository,
    private readonly alerts: AlertRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.messages.deleteChild(familyId, cid);
    await this.alerts.deleteChild(familyId, cid);
  }
}
