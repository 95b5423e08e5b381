import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionTokens } from '@family-watch/client';
import { loopbackAddress } from '@family-watch/testing/clients/loopback-address';
import { HttpConnection } from './http-connection.js';

/** An account that `signUp` created, with the tokens of its session. */
export interface SignedUpAccount extends SessionTokens {
  userId: string;
  phoneNumber: string;
  /** Shows in a sign-in that this device has signed in to the account before. */
  deviceToken: string;
}

interface SentSms {
  phoneNumber: string;
  code: string;
}

const FIRST_PHONE_NUMBER = 13_900_000_000;
/** Password of the accounts that `signUp` creates. */
export const PASSWORD = 'zebra-piano-41-rain';
const ACCOUNT_PATH = '/apis/v2/userctx/user/account';

/**
 * Signs up `count` accounts through the API, as an app does. Reads the SMS codes from `sms-outbox.jsonl`, to which a
 * server without an SMS provider writes them.
 *
 * @param first - is added to the first phone number
 */
export async function signUp(baseUrl: string, dataDir: string, count: number, first = 0): Promise<SignedUpAccount[]> {
  const accounts: SignedUpAccount[] = [];
  for (let index = 0; index < count; index += 1) {
    const phone = { areaCode: '+86', phoneNumber: String(FIRST_PHONE_NUMBER + first + index) };
    const { challengeId } = await post<{ challengeId: string }>(baseUrl, 'sms-code/send', {
      ...phone,
      scene: 'SIGN_UP',
    });
    const code = await readSmsCode(dataDir, phone.phoneNumber);
    const body = { challengeId, code, password: PASSWORD };
    accounts.push({ ...phone, ...(await post<Omit<SignedUpAccount, 'phoneNumber'>>(baseUrl, 'sign-up', body)) });
  }
  return accounts;
}

/** Returns the accounts with new tokens, because an access token is valid for ten minutes. */
export async function refreshTokens(baseUrl: string, accounts: readonly SignedUpAccount[]): Promise<SignedUpAccount[]> {
  const refresh = async (account: SignedUpAccount): Promise<SignedUpAccount> => ({
    ...account,
    ...(await post<SessionTokens>(baseUrl, 'token/refresh', { refreshToken: account.refreshToken })),
  });
  return Promise.all(accounts.map(refresh));
}

/** Returns the newest code that was sent to the phone number. @throws Error when there is none */
async function readSmsCode(dataDir: string, phoneNumber: string): Promise<string> {
  const lines = (await readFile(join(dataDir, 'sms-outbox.jsonl'), 'utf8')).trim().split('\n');
  const messages = lines.map((line) => JSON.parse(line) as SentSms);
  const code = messages.findLast((message) => message.phoneNumber === phoneNumber)?.code;
  if (!code) throw new Error(`No SMS code was sent to ${phoneNumber}`);
  return code;
}

/**
 * Posts from an address of its own each time if the service runs on this machine, so that its limits per address apply
 * to each account separately.
 */
async function post<Body>(baseUrl: string, operation: string, body: object): Promise<Body> {
  const { hostname, port } = new URL(baseUrl);
  const request = {
    method: 'POST',
    path: `${ACCOUNT_PATH}/${operation}`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  };
  if (hostname !== '127.0.0.1') return parse(operation, await fetch(`${baseUrl}${request.path}`, request));
  const connection = await HttpConnection.open({ host: hostname, port: Number(port), localAddress: loopbackAddress() });
  const { status, body: bytes } = await connection.send(request, true).finally(() => connection.close());
  return parse(operation, new Response(new Uint8Array(bytes), { status }));
}

async function parse<Body>(operation: string, response: Response): Promise<Body> {
  if (!response.ok) throw new Error(`${operation} returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}
