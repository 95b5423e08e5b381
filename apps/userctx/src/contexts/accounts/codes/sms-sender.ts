import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
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

const OWNER_ONLY_FILE_MODE = 0o600;

/**
 * Appends each message as one JSON line to a file that only its owner can read. Intended for self-hosting without an
 * SMS provider.
 */
export class FileSmsSender extends SmsSender {
  constructor(private readonly path: string) {
    super();
  }

  /** Resolves when the line is flushed to disk. */
  async send(message: SmsMessage): Promise<void> {
    const line = `${JSON.stringify(message)}\n`;
    await mkdir(dirname(this.path), { recursive: true });
    const file = await open(this.path, 'a', OWNER_ONLY_FILE_MODE);
    try {
      // The file may already exist with other permissions, or the umask may be permissive. Other users must not read
      // the codes.
      await file.chmod(OWNER_ONLY_FILE_MODE);
      await file.appendFile(line);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
