import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HttpClient, type ServiceResponse } from '../../support/http-client.js';
import { Parent } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';
import { Watch, WATCH_PATH } from '../../support/watch.js';

const PASSWORD = 'seven quiet herons';
const KNOWN_ACCOUNTS = 4;
const SAMPLES = 32;
/** Standard deviations; the ranks of equally distributed times exceed it once in 15,000 runs. */
const MAX_DEVIATION = 4;

const randomPhoneNumber = () => `139${String(randomInt(10 ** 8)).padStart(8, '0')}`;

describe('A21 whether an account exists', () => {
  let service: TestService;
  let known: Parent[];

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    known = await Promise.all(
      Array.from({ length: KNOWN_ACCOUNTS }, () => Parent.signUp(service, { password: PASSWORD })),
    );
  });
  afterAll(() => service.stop());

  const post = (path: string, body: object) => new HttpClient(service.url).post(path, body);

  /** Returns what a client can compare: status, headers and body without ids of the request and of a challenge. */
  function textOf({ status, headers, text }: ServiceResponse): string {
    const names = [...headers.keys()].filter((name) => name !== 'date').toSorted();
    return JSON.stringify([status, names, text.replace(/"challengeId":"[^"]+"/, '"challengeId":"…"')]);
  }

  test('is not shown by the text of any response to a stranger', async () => {
    const [first] = known as [Parent];
    const requests: [string, (phoneNumber: string) => object][] = [
      ['account/sign-in', (phoneNumber) => ({ areaCode: '+86', phoneNumber, password: 'wrong-password-77' })],
      ['account/sms-code/send', (phoneNumber) => ({ areaCode: '+86', phoneNumber, scene: 'SIGN_IN' })],
      ['account/sms-code/send', (phoneNumber) => ({ areaCode: '+86', phoneNumber, scene: 'RESET_PASSWORD' })],
      ['account/sms-code/send', (phoneNumber) => ({ areaCode: '+86', phoneNumber, scene: 'SIGN_UP' })],
    ];
    for (const [path, body] of requests) {
      const answers = [await post(path, body(first.phoneNumber)), await post(path, body(randomPhoneNumber()))];
      expect(textOf(answers[0] as ServiceResponse)).toBe(textOf(answers[1] as ServiceResponse));
    }
  });

  test('is not shown by a wrong code, whether it was sent to an account or to nobody', async () => {
    const [first] = known as [Parent];
    const challengeOf = async (phoneNumber: string) =>
      (await post('account/sms-code/send', { areaCode: '+86', phoneNumber, scene: 'STEP_UP' })).body['challengeId'];
    const challenges = [await challengeOf(first.phoneNumber), await challengeOf(randomPhoneNumber()), randomUUID()];
    for (const path of ['account/sign-in', 'account/password/reset']) {
      const more = path === 'account/password/reset' ? { password: PASSWORD } : {};
      const texts = await Promise.all(
        challenges.map(async (challengeId) => textOf(await post(path, { challengeId, code: '000000', ...more }))),
      );
      expect(new Set(texts).size).toBe(1);
    }
  });

  test('of a watch is shown neither by a challenge for its did nor by a bind code', async () => {
    const watch = await Watch.enrol(service.url);
    const [challenges, tokens] = [[] as string[], [] as string[]];
    for (const did of [watch.did, randomInt(2 ** 47) + 1]) {
      const challenge = await post(`${WATCH_PATH}token/challenge`, { did });
      challenges.push(textOf(challenge).replaceAll(String(challenge.body['nonce']), '…'));
      const request = { did, nonce: challenge.body['nonce'], signature: randomBytes(64).toString('base64url') };
      tokens.push(textOf(await post(`${WATCH_PATH}token/create`, request)));
    }
    expect([new Set(challenges).size, new Set(tokens).size]).toEqual([1, 1]);
    const { bindCode } = await watch.createBindCode();
    const [owner] = known as [Parent];
    const cid = await owner.createChild();
    const binds = [bindCode, randomBytes(16).toString('base64url')].map((code) =>
      owner.post('device/bind', { bindCode: code, confirmCode: '000000', cid }),
    );
    expect(new Set((await Promise.all(binds)).map(textOf)).size).toBe(1);
  });

  test('is not shown by the time of a rejected password', async () => {
    const unknown = known.map(() => randomPhoneNumber());
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let index = 0; index < SAMPLES; index += 1) {
      const pair = [
        ['known', known[index % KNOWN_ACCOUNTS]?.phoneNumber],
        ['unknown', unknown[index % KNOWN_ACCOUNTS]],
      ] as const;
      // Known and unknown alternate, so that other work of the machine affects both alike.
      for (const [kind, phoneNumber] of index % 2 === 0 ? pair : pair.toReversed()) {
        const client = new HttpClient(service.url);
        const started = performance.now();
        const { status } = await client.post('account/sign-in', {
          areaCode: '+86',
          phoneNumber,
          password: `x${index}yz-wrong`,
        });
        if (status === 401) times[kind].push(performance.now() - started);
      }
    }
    expect(Math.min(times.known.length, times.unknown.length)).toBeGreaterThan(SAMPLES / 2);
    expect(Math.abs(rankDeviation(times.known, times.unknown))).toBeLessThan(MAX_DEVIATION);
  });
});

/**
 * Returns by how many standard deviations the ranks of the first sample differ from those of an equally distributed
 * second sample (Mann-Whitney U). A single slow response changes the result little.
 */
function rankDeviation(first: readonly number[], second: readonly number[]): number {
  const greater = first.reduce((sum, value) => sum + second.filter((other) => value > other).length, 0);
  const pairs = first.length * second.length;
  return (greater - pairs / 2) / Math.sqrt((pairs * (first.length + second.length + 1)) / 12);
}
