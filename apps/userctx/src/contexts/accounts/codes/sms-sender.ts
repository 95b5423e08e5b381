import type { Phone, SmsScene } from '@family-watch/domain/accounts/contracts/account';
import type { CenterCategory } from '@family-watch/domain/messages/contracts/message-center';

/** An SMS with a code. */
export interface CodeSms extends Phone {
  scene: SmsScene;
  /** Six digits. */
  code: string;
  /** Unix milliseconds. */
  time: number;
}

/**
 * An SMS about an urgent alert that reached none of the person's apps. The SMS contains the category, but no name and
 * no location.
 */
export interface AlertSms extends Phone {
  scene: 'ALERT';
  category: CenterCategory;
  /** When the subject of the alert happened, Unix milliseconds. */
  time: number;
}

export type SmsMessage = CodeSms | AlertSms;

/** Port and injection token of the SMS provider. */
export abstract class SmsSender {
  /** Resolves when the provider has durably accepted the message. */
  abstract send(message: SmsMessage): Promise<void>;
}
