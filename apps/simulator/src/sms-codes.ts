import { readFile } from 'node:fs/promises';
import { eventually } from './patience.js';

const PATIENCE_MS = 5_000;

interface SmsLine {
  phoneNumber: string;
  scene: string;
  code: string;
}

/**
 * The code that was last sent to a phone, out of the file where a server without an SMS provider writes them.
 * @throws Error that says how to name another file
 */
export async function readSmsCode(file: string, phoneNumber: string, scene: string): Promise<string> {
  const look = async (): Promise<string | undefined> => {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    const messages = lines.map((line) => JSON.parse(line) as SmsLine);
    return messages.findLast((sms) => sms.phoneNumber === phoneNumber && sms.scene === scene)?.code;
  };
  try {
    return await eventually('the SMS code', look, PATIENCE_MS);
  } catch (cause) {
    const advice = 'the server says at its start where it writes them; name that file with --sms-file';
    throw new Error(`No SMS code for ${phoneNumber} in ${file}: ${advice}`, { cause });
  }
}
