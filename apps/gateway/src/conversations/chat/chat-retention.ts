import { Inject, Injectable } from '@nestjs/common';
import type { ChatKind } from '@family-watch/domain/messages/contracts/chat';
import { Environment } from '@family-watch/platform/config/environment';

const DAY_MS = 86_400_000;

/** How long chat messages and the access to their files are retained. */
@Injectable()
export class ChatRetention {
  readonly chatMs: number;
  readonly voiceMs: number;

  constructor(
    @Inject(Environment)
    environment: Pick<Environment, 'RETENTION_CHAT_DAYS' | 'RETENTION_VOICE_DAYS'>,
  ) {
    this.chatMs = environment.RETENTION_CHAT_DAYS * DAY_MS;
    this.voiceMs = Math.min(environment.RETENTION_VOICE_DAYS * DAY_MS, this.chatMs);
  }

  /** Milliseconds for which a message of this kind is retained. */
  of(kind: ChatKind): number {
    return kind === 'ChatVoiceMessage' ? this.voiceMs : this.chatMs;
  }
}
