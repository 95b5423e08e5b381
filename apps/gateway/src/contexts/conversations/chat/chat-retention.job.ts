import { Inject, Injectable } from '@nestjs/common';
import { CHAT_RETENTION_MS, VOICE_RETENTION_MS } from '@family-watch/domain/messages/contracts/chat';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../../infrastructure/gateway-infrastructure.js';
import { ChatMessageRepository } from './chat-message.repository.js';

const HOUR_MS = 60 * 60_000;
const BATCH_SIZE = 2_000;

/** Deletes messages whose retention period is over, in batches, every hour; voice messages have a shorter period. */
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
    while ((await this.messages.prune(now - CHAT_RETENTION_MS, BATCH_SIZE)) === BATCH_SIZE);
    while ((await this.messages.pruneVoice(now - VOICE_RETENTION_MS, BATCH_SIZE)) === BATCH_SIZE);
  }
}
