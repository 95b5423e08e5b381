import type { Phone } from '@family-watch/domain/accounts/contracts/phone';
import type { SmsScene } from '@family-watch/domain/accounts/contracts/sms-scene';
import type { CenterCategory } from '@family-watch/domain/messages/contracts/message-center';

/** A code on its way to a phone. */
export interface CodeSms extends Phone {
  scene: SmsScene;
  /** Six digits. */
  code: string;
  /** Unix milliseconds. */
  time: number;
}

/** An urgent alert that reached no app of its person: it says what it is about, and no name and no place. */
export interface AlertSms extends Phone {
  scene: 'ALERT';
  category: CenterCategory;
  /** When it happened, Unix milliseconds. */
  time: number;
}

export type SmsMessage = CodeSms | AlertSms;

/** Port and injection token: who carries messages to phones. */
export abstract class SmsSender {
  /** Resolves when the provider has taken the message for good. */
  abstract send(message: SmsMessage): Promise<void>;
}
