import type { Phone } from '@family-watch/domain/accounts/contracts/phone';
import type { SmsScene } from '@family-watch/domain/accounts/contracts/sms-scene';

/** A code on its way to a phone. */
export interface SmsMessage extends Phone {
  scene: SmsScene;
  /** Six digits. */
  code: string;
  /** Unix milliseconds. */
  time: number;
}

/** Port and injection token: who carries codes to phones. */
export abstract class SmsSender {
  /** Resolves when the provider has taken the message for good. */
  abstract send(message: SmsMessage): Promise<void>;
}
