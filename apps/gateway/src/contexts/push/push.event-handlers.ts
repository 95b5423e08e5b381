import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/events/on-event.decorator';
import { PushTokenRepository } from './push-token.repository.js';

/** Deletes push tokens of ended sessions. */
@Injectable()
export class PushEventHandlers {
  constructor(private readonly tokens: PushTokenRepository) {}

  /** Deletes the push tokens of an ended session, so a signed-out phone gets no more notifications. */
  @OnEvent('userctx.session.ended', { handler: 'gateway.push.forget-tokens' })
  async deleteSessionPushTokens({ payload }: EventOf<DomainEvents, 'userctx.session.ended'>): Promise<void> {
    await this.tokens.deleteBySession(payload.sessionId);
  }
}
