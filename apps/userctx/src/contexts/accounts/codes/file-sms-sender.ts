import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SmsSender } from './sms-sender.js';
import type { SmsMessage } from './sms-sender.js';

const OWNER_ONLY = 0o600;

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
    const file = await open(this.path, 'a', OWNER_ONLY);
    try {
      // The file may already exist with other permissions, or the umask may be permissive. Other users must not read
      // the codes.
      await file.chmod(OWNER_ONLY);
      await file.appendFile(line);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
