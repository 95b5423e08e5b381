import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';

/** Notifies a user of every new sign-in to the account. */
@Injectable()
export class PublishSignInHandler implements EventHandler<DomainEvents, 'userctx.session.started'>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-sign-in';
  readonly event = 'userctx.session.started';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, payload }: EventOf<DomainEvents, 'userctx.session.started'>): Promise<void> {
    const { userId, sessionId, time } = payload;
    const subject = { familyId: null, cid: null, did: null, audience: 'MEMBERS' } as const;
    await this.center.publish({
      ...subject,
      source: id,
      type: 'SIGN_IN_NEW',
      params: { sessionId },
      time,
      userIds: [userId],
    });
  }
}
