import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeOneDeployment } from '../support/deployments.js';
import { HttpClient } from '../support/http-client.js';
import { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';

const PASSWORD = 'zebra-piano-41-rain';
const ATTACKING_ADDRESSES = 4;

/** Attempts of strangers must not prevent a parent from signing in. */
describeOneDeployment('A34 sign-in of a parent under attack', 'distributed', (deployment) => {
  let service: TestService;
  let parent: Parent;
  let phone: { areaCode: string; phoneNumber: string };

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    parent = await Parent.signUp(service, { password: PASSWORD });
    phone = { areaCode: '+86', phoneNumber: parent.phoneNumber };
    const strangers = Array.from({ length: ATTACKING_ADDRESSES }, () => new HttpClient(service.url));
    await Promise.all(
      strangers.map(async (stranger) => {
        for (let times = 0; times < 12; times += 1)
          await stranger.post('account/sign-in', { ...phone, password: 'wrong-password-77' });
        for (let times = 0; times < 6; times += 1) await requestCode(stranger);
      }),
    );
  });
  afterAll(() => service.stop());

  const requestCode = (client: HttpClient, deviceToken?: string) =>
    client.post<{ challengeId: string }>('account/sms-code/send', { ...phone, scene: 'SIGN_IN', deviceToken });

  test('an unknown device is rejected with RATE_LIMITED', async () => {
    const answer = await new HttpClient(service.url).post('account/sign-in', { ...phone, password: PASSWORD });
    expect([answer.status, answer.body['reason']]).toEqual([429, 'RATE_LIMITED']);
  });

  test('a known device signs in with the password, also after a sign-out', async () => {
    const { deviceToken } = parent.tokens;
    const device = new HttpClient(service.url);
    const first = await device.post<{ accessToken: string }>('account/sign-in', {
      ...phone,
      password: PASSWORD,
      deviceToken,
    });
    expect(first.status).toBe(200);
    await new HttpClient(service.url, first.body.accessToken).post('account/sign-out', {});
    const again = await device.post('account/sign-in', { ...phone, password: PASSWORD, deviceToken });
    expect(again.status).toBe(200);
  });

  test('a known device signs in with an SMS code, which strangers cannot replace', async () => {
    const { deviceToken } = parent.tokens;
    const device = new HttpClient(service.url);
    const sent = await requestCode(device, deviceToken);
    expect(sent.status).toBe(200);
    const stranger = await requestCode(new HttpClient(service.url));
    expect([stranger.status, stranger.body['reason' as never]]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(stranger.headers.get('retry-after'))).toBeGreaterThan(0);
    const code = service.sms.latestCode(parent.phoneNumber, 'SIGN_IN');
    const { challengeId } = sent.body;
    expect((await device.post('account/sign-in', { challengeId, code, deviceToken })).status).toBe(200);
  });
});
