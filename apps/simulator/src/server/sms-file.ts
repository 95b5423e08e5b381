import { readFile } from 'node:fs/promises';
import { pollUntil } from '../retry.js';

const PATIENCE_MS = 5_000;

/** What a server without an SMS provider writes instead of a message: a code, or an alert. */
interface SmsLine {
  phoneNumber: string;
  scene: string;
  code?: string;
  category?: string;
}

/**
 * The code that was last sent to a phone.
 * @throws Error that says how to name another file
 */
export async function readSmsCode(file: string, phoneNumber: string, scene: string): Promise<string> {
  const look = async () => (await messagesTo(phoneNumber, file)).findLast((sms) => sms.scene === scene)?.code;
  try {
    return await pollUntil('the SMS code', look, PATIENCE_MS);
  } catch (cause) {
    const advice = 'the server says at its start where it writes them; name that file with --sms-file';
    throw new Error(`No SMS code for ${phoneNumber} in ${file}: ${advice}`, { cause });
  }
}

/** How many alerts of a category were sent to a phone. */
export async function countSmsAlerts(file: string, phoneNumber: string, category: string): Promise<number> {
  const alerts = (await messagesTo(phoneNumber, file)).filter((sms) => sms.scene === 'ALERT');
  return alerts.filter((sms) => sms.category === category).length;
}

async function messagesTo(phoneNumber: string, file: string): Promise<SmsLine[]> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as SmsLine).filter((sms) => sms.phoneNumber === phoneNumber);
}
