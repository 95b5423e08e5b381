import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { UploadService } from './upload.service.js';

type SessionEndedEvent = 'userctx.session.ended';

/**
 * Aborts the open uploads of a session that has ended, because upload URLs are valid for longer than revocations are
 * stored.
 */
@Injectable()
export class AbortSessionUploadsHandler implements EventHandler<DomainEvents, SessionEndedEvent>, OnModuleInit {
  readonly name = 'mcdisk.uploads.session-ended';
  readonly event = 'userctx.session.ended';

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly uploads: UploadService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: DomainEvent<SessionEndedEvent, DomainEvents[SessionEndedEvent]>): Promise<void> {
    await this.uploads.abortBySession(`user:${payload.userId}`, payload.sessionId);
  }
}
