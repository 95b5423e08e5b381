import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http-client.js';
import { Parent, requestCode } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';

const GUESSES = 1_000;
/** Enough addresses that no limit per address rejects a guess before the code is compared. */
const ADDRESSES = 50;
const MAX_TRIES = 5;

// The suite starts its own service, because 1,000 parallel requests overload it.
describe('A20 codes by SMS', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start('standalone');
  });
  afterAll(() => service.stop());

  const triesOf = async (challengeId: string) =>
    (
      await service.query<{ tries: number; lifetime: number }>(
        `SELECT tries, (expires_at - created_at)::float8 AS lifetime FROM userctx.sms_challenge WHERE challenge_id = $1`,
        [challengeId],
      )
    )[0];

  test('1,000 parallel guesses from many addresses use five tries, and the correct code is then rejected', async () => {
    const { phoneNumber } = await Parent.signUp(service);
    const { challengeId, code } = await requestCode(service, phoneNumber, 'SIGN_IN');
    expect(code).toMatch(/^\d{6}$/);
    const attackers = Array.from({ length: ADDRESSES }, () => new HttpClient(service.url));
    const answers = await Promise.all(
      Array.from({ length: GUESSES }, async (_, index) => {
        const guess = String((Number(code) + 1 + index) % 1_000_000).padStart(6, '0');
        const attacker = attackers[index % ADDRESSES] as HttpClient;
        return attacker.post('account/sign-in', { challengeId, code: guess });
      }),
    );
    // The service may reject a guess because it is overloaded, but it accepts none.
    expect(answers.filter(({ status }) => ![401, 429, 503].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThan(MAX_TRIES);
    const stored = await triesOf(challengeId);
    expect(stored?.tries).toBe(MAX_TRIES);
    expect(stored?.lifetime).toBeLessThanOrEqual(5 * 60_000);
    const correct = await new HttpClient(service.url).post('account/sign-in', { challengeId, code });
    expect([correct.status, correct.body['reason']]).toEqual([401, 'CREDENTIALS_INVALID']);
    expect((await triesOf(challengeId))?.tries).toBe(MAX_TRIES);
  });

  test('the counter of tries is stored before a wrong code is rejected', async () => {
    const { phoneNumber } = await Parent.signUp(service);
    const { challengeId, code } = await requestCode(service, phoneNumber, 'RESET_PASSWORD');
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    for (let tries = 1; tries <= 2; tries += 1) {
      const body = { challengeId, code: wrong, password: 'seven quiet herons' };
      const answer = await new HttpClient(service.url).post('account/password/reset', body);
      expect([answer.body['reason'], (await triesOf(challengeId))?.tries]).toEqual(['CODE_INVALID', tries]);
    }
  });

  test('a phone number gets a second code for the same purpose only after a minute, from whatever address', async () => {
    const { phoneNumber } = await Parent.signUp(service);
    const first = await requestCode(service, phoneNumber, 'SIGN_IN');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const body = { areaCode: '+86', phoneNumber, scene: 'SIGN_IN' };
      const answer = await new HttpClient(service.url).post('account/sms-code/send', body);
      expect([answer.status, answer.body['reason']]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await new HttpClient(service.url).post('account/sign-in', first)).status).toBe(200);
    expect((await new HttpClient(service.url).post('account/sign-in', first)).status).toBe(401);
  });
});
