import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { PushTokenRepository } from './push-token.repository.js';

/** Deletes the push tokens of an ended session, so a signed-out phone gets no more notifications. */
@Injectable()
export class DeleteSessionPushTokensHandler
  implements EventHandler<DomainEvents, 'userctx.session.ended'>, OnModuleInit
{
  readonly name = 'gateway.push.forget-tokens';
  readonly event = 'userctx.session.ended';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly tokens: PushTokenRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.session.ended'>): Promise<void> {
    await this.tokens.deleteBySession(payload.sessionId);
  }
}
