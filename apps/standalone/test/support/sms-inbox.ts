import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An SMS in the file. An alert has a `category`, an SMS with a code has a `code`. */
interface SentSms {
  phoneNumber: string;
  scene: string;
  code?: string;
  category?: string;
  time: number;
}

/** Sent SMS, read from the file that SMS_PROVIDER=file appends to before the response is sent. */
export class SmsInbox {
  private readonly file: string;

  constructor(dataDir: string) {
    this.file = join(dataDir, 'sms-outbox.jsonl');
  }

  /** Returns the newest code for a phone and scene. @throws Error when there is none */
  latestCode(phoneNumber: string, scene: string): string {
    const code = this.sentTo(phoneNumber).findLast((sms) => sms.scene === scene)?.code;
    if (code === undefined) throw new Error(`No code of scene ${scene} was sent to ${phoneNumber}`);
    return code;
  }

  /** Returns the alerts to any of these phones, oldest first. */
  alertsTo(...phoneNumbers: string[]): SentSms[] {
    return phoneNumbers
      .flatMap((phoneNumber) => this.sentTo(phoneNumber))
      .filter(({ scene }) => scene === 'ALERT')
      .toSorted((one, other) => one.time - other.time);
  }

  /** Filters by phone: the file of a shared service contains the SMS of all suites. */
  private sentTo(phoneNumber: string): SentSms[] {
    const lines = readFileSync(this.file, 'utf8').trimEnd().split('\n');
    return lines
      .filter((line) => line.includes(phoneNumber))
      .map((line) => JSON.parse(line) as SentSms)
      .filter((sms) => sms.phoneNumber === phoneNumber);
  }
}
