import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of the file; alerts have a category, codes a code. */
interface SentSms {
  phoneNumber: string;
  scene: string;
  code?: string;
  category?: string;
  time: number;
}

/** What phones have received: the file that SMS_PROVIDER=file appends to before a request is answered. */
export class SmsInbox {
  private readonly file: string;

  constructor(dataDir: string) {
    this.file = join(dataDir, 'sms-outbox.jsonl');
  }

  /** @throws Error when nothing of this scene was sent to the phone */
  latestCode(phoneNumber: string, scene: string): string {
    const code = this.sent().findLast((sms) => sms.phoneNumber === phoneNumber && sms.scene === scene)?.code;
    if (code === undefined) throw new Error(`No code of scene ${scene} was sent to ${phoneNumber}`);
    return code;
  }

  /** Alerts to any of these phones, oldest first. */
  alertsTo(...phoneNumbers: string[]): SentSms[] {
    return this.sent().filter((sms) => sms.scene === 'ALERT' && phoneNumbers.includes(sms.phoneNumber));
  }

  private sent(): SentSms[] {
    const lines = readFileSync(this.file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as SentSms);
  }
}
