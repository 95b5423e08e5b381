import { Inject, Injectable } from '@nestjs/common';
import { CHAT_RETENTION_MS, VOICE_RETENTION_MS } from '@family-watch/domain/messages/contracts/chat';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../../infrastructure/gateway.tokens.js';
import { ChatMessageRepository } from './chat-message.repository.js';

const HOUR_MS = 60 * 60_000;
const ROWS_AT_ONCE = 2_000;

/** Deletes what is older than conversations are kept, voice sooner, a little at a time, every hour. */
@Injectable()
export class ChatRetentionJob extends PeriodicJob {
  constructor(
    private readonly messages: ChatMessageRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(HOUR_MS);
  }

  async run(): Promise<void> {
    const now = this.clock.now();
    while ((await this.messages.prune(now - CHAT_RETENTION_MS, ROWS_AT_ONCE)) === ROWS_AT_ONCE);
    while ((await this.messages.pruneVoice(now - VOICE_RETENTION_MS, ROWS_AT_ONCE)) === ROWS_AT_ONCE);
  }
}
