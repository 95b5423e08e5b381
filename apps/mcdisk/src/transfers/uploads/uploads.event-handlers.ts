import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { UploadSessionService } from './upload-session.service.js';

type SessionEndedEvent = 'userctx.session.ended';

/** Aborts the uploads of ended sessions. */
@Injectable()
export class UploadsEventHandlers {
  constructor(private readonly sessions: UploadSessionService) {}

  /**
   * Aborts the open uploads of a session that has ended, because upload URLs are valid for longer than revocations are
   * stored.
   */
  @OnEvent('userctx.session.ended', { handler: 'mcdisk.uploads.session-ended' })
  async abortSessionUploads({
    payload,
  }: DomainEvent<SessionEndedEvent, DomainEvents[SessionEndedEvent]>): Promise<void> {
    await this.sessions.abortBySession(`user:${payload.userId}`, payload.sessionId);
  }
}
