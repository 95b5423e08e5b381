import { readFile } from 'node:fs/promises';
import { UsageError } from '../options.js';
import { pollUntil } from '../retry.js';

const CODE_TIMEOUT_MS = 30_000;

/** An SMS in the file to which a server without an SMS provider writes each SMS: a code or an alert. */
interface SmsLine {
  phoneNumber: string;
  scene: string;
  code?: string;
  category?: string;
}

/**
 * Returns the newest code that was sent to a phone number.
 * @throws UsageError that explains the option `--sms-file` when the file contains no such code
 */
export async function readSmsCode(file: string, phoneNumber: string, scene: string): Promise<string> {
  const findCode = async () => (await messagesTo(phoneNumber, file)).findLast((sms) => sms.scene === scene)?.code;
  try {
    return await pollUntil('the SMS code', findCode, CODE_TIMEOUT_MS);
  } catch (cause) {
    throw new UsageError(
      `No SMS code for ${phoneNumber} in ${file}. The demo needs a server in development, which writes its SMS to a ` +
        'file instead of sending them; pass the file that the server prints when it starts with --sms-file',
      { cause },
    );
  }
}

/** Returns the number of alerts of a category that were sent to a phone number. */
export async function countSmsAlerts(file: string, phoneNumber: string, category: string): Promise<number> {
  const alerts = (await messagesTo(phoneNumber, file)).filter((sms) => sms.scene === 'ALERT');
  return alerts.filter((sms) => sms.category === category).length;
}

async function messagesTo(phoneNumber: string, file: string): Promise<SmsLine[]> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as SmsLine).filter((sms) => sms.phoneNumber === phoneNumber);
}
