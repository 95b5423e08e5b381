import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Somebody who has signed up. */
export interface SignedUpAccount {
  userId: string;
  accessToken: string;
}

interface SmsLine {
  phoneNumber: string;
  code: string;
}

const FIRST_NUMBER = 13_900_000_000;
const ACCOUNT = '/apis/v2/userctx/user/account';

/** Makes accounts as an app does; the codes are read where a server without an SMS provider writes them. */
export async function signUp(base: string, dataDir: string, count: number): Promise<SignedUpAccount[]> {
  const accounts: SignedUpAccount[] = [];
  for (let index = 0; index < count; index += 1) {
    const phone = { areaCode: '+86', phoneNumber: String(FIRST_NUMBER + index) };
    const { challengeId } = await post<{ challengeId: string }>(base, 'sms-code/send', { ...phone, scene: 'SIGN_UP' });
    const code = await codeFor(dataDir, phone.phoneNumber);
    accounts.push(await post<SignedUpAccount>(base, 'sign-up', { challengeId, code }));
  }
  return accounts;
}

async function codeFor(dataDir: string, phoneNumber: string): Promise<string> {
  const lines = (await readFile(join(dataDir, 'sms-outbox.jsonl'), 'utf8')).trim().split('\n');
  const messages = lines.map((line) => JSON.parse(line) as SmsLine);
  const code = messages.findLast((message) => message.phoneNumber === phoneNumber)?.code;
  if (!code) throw new Error(`No code was sent to ${phoneNumber}`);
  return code;
}

async function post<Answer>(base: string, operation: string, body: object): Promise<Answer> {
  const response = await fetch(`${base}${ACCOUNT}/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
