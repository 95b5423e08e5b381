import {
  createClient,
  enrolWatch,
  userSession,
  WatchKey,
  watchTokenSource,
  type FamilyWatchClient,
  type TokenSource,
} from '@family-watch/client';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

/** The service under test. */
export interface Service {
  readonly url: string;
  readonly dataDir: string;
}

export const PASSWORD = 'zebra-piano-41-rain';
const AREA_CODE = '+86';

/** Returns a random phone number of China. */
export function randomPhoneNumber(): string {
  return `1${randomInt(30, 100)}${String(randomInt(10 ** 8)).padStart(8, '0')}`;
}

/** Returns the code of the last SMS to a phone number. */
export function latestCode({ dataDir }: Service, phoneNumber: string): string {
  const lines = readFileSync(join(dataDir, 'sms-outbox.jsonl'), 'utf8').trimEnd().split('\n');
  const line = lines.findLast((each) => each.includes(phoneNumber)) ?? '{}';
  return (JSON.parse(line) as { code?: string }).code ?? '';
}

/** A person who uses the service with the SDK, beside the pages. */
export interface Person {
  readonly userId: string;
  readonly phoneNumber: string;
  readonly client: FamilyWatchClient;
  readonly tokens: TokenSource;
}

/** A watch that uses the service with the SDK. */
export interface Watch {
  readonly did: number;
  readonly client: FamilyWatchClient;
  readonly tokens: TokenSource;
}

export async function signUp(service: Service, nickname: string): Promise<Person> {
  const { url } = service;
  const anonymous = createClient({ url });
  const phoneNumber = randomPhoneNumber();
  const request = { areaCode: AREA_CODE, phoneNumber, scene: 'SIGN_UP' } as const;
  const { challengeId } = await anonymous.accounts.sendSmsCode(request);
  const code = latestCode(service, phoneNumber);
  const issued = await anonymous.accounts.signUp({ challengeId, code, password: PASSWORD, nickname });
  const tokens = userSession(anonymous, { ...issued, refreshToken: issued.refreshToken ?? '' });
  return { userId: issued.userId, phoneNumber, tokens, client: createClient({ url, tokens }) };
}

export async function addChild({ client }: Person, name: string): Promise<string> {
  const watchNumber = { areaCode: AREA_CODE, phoneNumber: '13812345678' };
  return (await client.children.create({ name, appellation: name, ...watchNumber, height: 125, weight: 120 })).cid;
}

export async function enrolNewWatch({ url }: Service): Promise<Watch> {
  const anonymous = createClient({ url });
  const key = await WatchKey.generate();
  const did = await enrolWatch(anonymous, key, { imei: randomImei(), model: 'W7', firmwareVersion: '1.0.0' });
  const tokens = watchTokenSource(anonymous, key, did);
  return { did, tokens, client: createClient({ url, tokens }) };
}

/** Enrols a watch and binds it to a child. */
export async function bindNewWatch(service: Service, { client }: Person, cid: string): Promise<Watch> {
  const watch = await enrolNewWatch(service);
  const { bindCode, confirmCode } = await watch.client.watch.createBindCode();
  await client.watches.bind({ cid, bindCode, confirmCode });
  return watch;
}

/** Returns a random IMEI with a valid check digit. */
function randomImei(): string {
  const body = `35${String(randomInt(10 ** 12)).padStart(12, '0')}`;
  const sum = [...body].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return body + String((10 - (sum % 10)) % 10);
}

/** Signs a person in, so that each page of the browser begins with the session, as after a reload. */
export async function signInBrowser(context: BrowserContext, { url }: Service, person: Person): Promise<void> {
  const { phoneNumber, userId } = person;
  const credentials = { areaCode: AREA_CODE, phoneNumber, password: PASSWORD };
  const response = await context.request.post(`${url}/apis/v2/userctx/user/account/sign-in`, {
    data: { ...credentials, refreshTokenCookie: true },
  });
  if (!response.ok()) throw new Error(await response.text());
  // A page without scripts, because the first page of the console would begin without a session.
  const page = await context.newPage();
  await page.goto(`${url}/icon.svg`);
  await page.evaluate(`localStorage.setItem('family-watch.session', ${JSON.stringify(userId)})`);
  await page.close();
}
