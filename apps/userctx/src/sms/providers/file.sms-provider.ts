import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCodeOf, type OutgoingSms, type SmsOutcome, type SmsProvider } from './sms-provider.js';

const OWNER_ONLY_FILE_MODE = 0o600;

/**
 * Appends each message as one JSON line to a file that only its owner can read. Intended for self-hosting without an
 * SMS provider.
 */
export class FileSmsProvider implements SmsProvider {
  readonly name = 'file';

  constructor(private readonly path: string) {}

  /** Resolves when the line is flushed to disk. */
  async send({ message }: OutgoingSms): Promise<SmsOutcome> {
    try {
      await this.append(`${JSON.stringify(message)}\n`);
      return { state: 'ACCEPTED', providerMessageId: null };
    } catch (error) {
      return { state: 'UNAVAILABLE', errorCode: errorCodeOf(error) };
    }
  }

  private async append(line: string): Promise<void> {
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
