import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface SentCode {
  phoneNumber: string;
  scene: string;
  code: string;
}

/** What phones have received: the file that SMS_PROVIDER=file appends to before a request is answered. */
export class SmsInbox {
  private readonly file: string;

  constructor(dataDir: string) {
    this.file = join(dataDir, 'sms-outbox.jsonl');
  }

  /** @throws Error when nothing of this scene was sent to the phone */
  latestCode(phoneNumber: string, scene: string): string {
    const sent = readFileSync(this.file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as SentCode);
    const latest = sent.findLast((message) => message.phoneNumber === phoneNumber && message.scene === scene);
    if (!latest) throw new Error(`No code of scene ${scene} was sent to ${phoneNumber}`);
    return latest.code;
  }
}
