import { chmod, stat, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { SmsCodeService } from '../../../src/accounts/codes/sms-code.service.js';
import { SignInService } from '../../../src/accounts/sessions/sign-in.service.js';
import { AccountsTestEnvironment, IP_ADDRESS } from '../../support/accounts-test-environment.js';

let environment: AccountsTestEnvironment;
let replica: INestApplicationContext;
let codes: SmsCodeService;
let signIns: SignInService;

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open();
  replica = await environment.replica();
  codes = replica.get(SmsCodeService);
  signIns = replica.get(SignInService);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => environment.close());

const MINUTE_MS = 60_000;

interface ChallengeRow {
  challenge_id: string;
  tries: number;
  digest: Buffer;
  consumed_at: number | null;
}

async function findChallenge(challengeId: string): Promise<ChallengeRow | undefined> {
  const rows = await environment.query<ChallengeRow>('SELECT * FROM userctx.sms_challenge WHERE challenge_id = $1', [
    challengeId,
  ]);
  return rows[0];
}

describe('a landline', () => {
  const landline = { areaCode: '+49', phoneNumber: '030 123456' };

  test.each(['SIGN_UP', 'CHANGE_PHONE'] as const)('receives no code of the scene %s', async (scene) => {
    await expect(codes.send({ ...landline, scene }, IP_ADDRESS)).rejects.toMatchObject({ reason: 'SMS_REJECTED' });
  });

  test('still receives codes to sign in', async () => {
    await codes.send({ ...landline, scene: 'SIGN_IN' }, IP_ADDRESS);
    expect((await environment.sentMessages()).at(-1)).toMatchObject({ areaCode: '+49', phoneNumber: '30123456' });
  });
});

describe('SmsCodeService.send', () => {
  test('appends one JSON line to the SMS outbox file, which only its owner can read, before it returns', async () => {
    const phone = environment.uniquePhone();
    const before = Date.now();
    await writeFile(environment.smsOutbox, '', { flag: 'a' });
    await chmod(environment.smsOutbox, 0o644);
    const response = await codes.send({ ...phone, areaCode: '86', scene: 'SIGN_UP' }, IP_ADDRESS);
    const sentMessage = (await environment.sentMessages()).at(-1);
    expect(response).toEqual({
      challengeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expiresIn: 300,
      resendAfter: 60,
    });
    expect(sentMessage).toEqual({
      areaCode: '+86',
      phoneNumber: phone.phoneNumber,
      scene: 'SIGN_UP',
      code: expect.stringMatching(/^\d{6}$/),
      time: expect.any(Number),
    });
    expect(sentMessage?.['time']).toBeGreaterThanOrEqual(before);
    expect((await stat(environment.smsOutbox)).mode & 0o777).toBe(0o600);
  });

  test('stores no code in the database', async () => {
    const { challengeId, code } = await environment.requestCode(replica, environment.uniquePhone(), 'SIGN_IN');
    const row = await findChallenge(challengeId);
    expect(row?.digest).toHaveLength(32);
    expect(JSON.stringify(row)).not.toContain(code);
  });

  test('invalidates the previous code of the same phone number and scene, and no other', async () => {
    const phone = environment.uniquePhone();
    const first = await environment.requestCode(replica, phone, 'SIGN_UP');
    const other = await environment.requestCode(replica, phone, 'STEP_UP');
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + MINUTE_MS + 1);
    const second = await environment.requestCode(replica, phone, 'SIGN_UP');
    expect(await codes.verify(first, 'SIGN_UP')).toBeUndefined();
    expect(await codes.verify(other, 'STEP_UP')).toMatchObject(phone);
    expect(await codes.verify(second, 'SIGN_UP')).toMatchObject(phone);
  });

  test('rejects another request for the scene during resendAfter, which leaves the code valid, and then sends', async () => {
    const phone = environment.uniquePhone();
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    const code = await environment.requestCode(replica, phone, 'SIGN_UP');
    clock.mockReturnValue(now + 59_000);
    const tooEarly = codes.send({ ...phone, scene: 'SIGN_UP' }, '192.0.2.200');
    await expect(tooEarly).rejects.toMatchObject({ retryAfter: 1, details: [{ field: 'limit', rule: 'sms.resend' }] });
    expect(await codes.verify(code, 'SIGN_UP')).toMatchObject(phone);
    clock.mockReturnValue(now + 60_000);
    await expect(codes.send({ ...phone, scene: 'SIGN_UP' }, IP_ADDRESS)).resolves.toMatchObject({ resendAfter: 60 });
  });

  test('sends another code at once when the previous code has been used', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone);
    for (let round = 0; round < 2; round += 1)
      await signIns.signIn(await environment.requestCode(replica, phone, 'SIGN_IN'), { ip: IP_ADDRESS });
  });

  test('sends a code, which strangers cannot replace, to a known device while strangers use up the limits', async () => {
    const phone = environment.uniquePhone();
    const { deviceToken } = await environment.signUp(replica, phone);
    const request = { ...phone, scene: 'SIGN_IN' as const };
    let now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
    for (let index = 0; index < 6; index += 1) {
      await codes.send(request, `198.51.100.${index}`).catch(() => undefined);
      now += MINUTE_MS;
    }
    await expect(codes.send(request, '198.51.100.99')).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    const stranger = codes.send(request, '198.51.100.98');
    await expect(stranger).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    const { challengeId } = await codes.send({ ...request, deviceToken }, '198.51.100.97');
    await expect(codes.send({ ...request, deviceToken }, IP_ADDRESS)).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    await expect(codes.send(request, '198.51.100.96')).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    const { code } = (await environment.sentMessages()).at(-1) ?? {};
    await expect(signIns.signIn({ challengeId, code: String(code) }, { ip: IP_ADDRESS })).resolves.toBeDefined();
    clock.mockRestore();
  });

  test('sends a known device a code immediately after an unknown device requested one for the same number', async () => {
    const phone = environment.uniquePhone();
    const { deviceToken } = await environment.signUp(replica, phone);
    const request = { ...phone, scene: 'RESET_PASSWORD' as const };
    await codes.send(request, '198.51.100.1');
    await expect(codes.send({ ...request, deviceToken }, IP_ADDRESS)).resolves.toBeDefined();
  });
});

describe('a number that is written in two forms', () => {
  const signIn = (phoneNumber: string) => ({ areaCode: '+54', phoneNumber, scene: 'SIGN_IN' as const });

  // The network dials the form with 9.
  test.each([
    ['91123456701', '1123456701'],
    ['1123456702', '91123456702'],
  ])('has one valid code if a code for %s is followed by one for %s', async (firstForm, secondForm) => {
    const [first, second] = [signIn(firstForm), signIn(secondForm)];
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    const earlier = await codes.send(first, IP_ADDRESS);
    await expect(codes.send(second, IP_ADDRESS)).rejects.toMatchObject({ details: [{ rule: 'sms.resend' }] });
    const firstCode = String((await environment.sentMessages()).at(-1)?.['code']);
    clock.mockReturnValue(now + MINUTE_MS);
    const { challengeId } = await codes.send(second, IP_ADDRESS);
    const code = String((await environment.sentMessages()).at(-1)?.['code']);
    expect(await codes.verify({ ...earlier, code: firstCode }, 'SIGN_IN')).toBeUndefined();
    // The form that the request contained decides which account the code signs in to.
    expect(await codes.verify({ challengeId, code }, 'SIGN_IN')).toMatchObject({ phoneNumber: second.phoneNumber });
  });

  test('gets one code of concurrent requests for both forms', async () => {
    const forms = ['91123456703', '1123456703', '91123456703', '1123456703'].map(signIn);
    const results = await Promise.allSettled(forms.map((form) => codes.send(form, IP_ADDRESS)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a failure of the SMS provider', () => {
  test('is reported to the client as SMS_UNAVAILABLE, without the phone number', async () => {
    const failing = await environment.replica({ DATA_DIR: environment.smsOutbox });
    const phone = environment.uniquePhone();
    const rejection: unknown = await failing
      .get(SmsCodeService)
      .send({ ...phone, scene: 'SIGN_UP' }, IP_ADDRESS)
      .catch((error: unknown) => error);
    expect(rejection).toMatchObject({ reason: 'SMS_UNAVAILABLE', status: 503, retryAfter: 30 });
    expect(String(rejection)).not.toContain(phone.phoneNumber);
  });
});

describe('A20 SmsCodeService.verify', () => {
  test('evaluates five of 1,000 concurrent guesses and then rejects the correct code', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone);
    const submitted = await environment.requestCode(replica, phone, 'SIGN_IN');
    const guesses = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(6, '0')).filter(
      (code) => code !== submitted.code,
    );
    const results = await Promise.allSettled(
      guesses.map((code) => signIns.signIn({ challengeId: submitted.challengeId, code }, { ip: IP_ADDRESS })),
    );
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await findChallenge(submitted.challengeId)).toMatchObject({ tries: 5, consumed_at: null });
    await expect(signIns.signIn(submitted, { ip: IP_ADDRESS })).rejects.toMatchObject({
      reason: 'CREDENTIALS_INVALID',
    });
    expect((await findChallenge(submitted.challengeId))?.tries).toBe(5);
  });

  test('accepts a code for exactly one of several concurrent operations', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone);
    const submitted = await environment.requestCode(replica, phone, 'SIGN_IN');
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => signIns.signIn(submitted, { ip: IP_ADDRESS })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('rejects a code of another scene, an unknown challenge and a malformed challenge id', async () => {
    const submitted = await environment.requestCode(replica, environment.uniquePhone(), 'SIGN_UP');
    expect(await codes.verify(submitted, 'SIGN_IN')).toBeUndefined();
    expect(await codes.verify({ ...submitted, challengeId: crypto.randomUUID() }, 'SIGN_UP')).toBeUndefined();
    expect(await codes.verify({ ...submitted, challengeId: "' OR 1=1 --" }, 'SIGN_UP')).toBeUndefined();
    expect((await findChallenge(submitted.challengeId))?.tries).toBe(0);
  });

  test('rejects a code after five minutes, and the cleanup job deletes the code after ten minutes', async () => {
    const submitted = await environment.requestCode(replica, environment.uniquePhone(), 'SIGN_UP');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 5 * 60_000 + 1);
    expect(await codes.verify(submitted, 'SIGN_UP')).toBeUndefined();
    jest.spyOn(Date, 'now').mockReturnValue(now + 10 * 60_000 + 1);
    await codes.deleteOld(Date.now());
    expect(await findChallenge(submitted.challengeId)).toBeUndefined();
  });
});

describe('A20 SMS rate limits', () => {
  test('allow at most five codes an hour per phone number and scene, and three of them per IP address, across all replicas', async () => {
    const phone = environment.uniquePhone();
    const other = (await environment.replica()).get(SmsCodeService);
    let now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    const request = (replicaCodes: SmsCodeService, ip: string) => {
      now += MINUTE_MS;
      return replicaCodes.send({ ...phone, scene: 'SIGN_UP' }, ip).then(
        () => 'sent',
        (error: unknown) => (error as ServiceError).reason,
      );
    };
    const results = [];
    for (const ip of ['a', 'a', 'a', 'a', 'b', 'c', 'd']) results.push(await request(ip === 'b' ? other : codes, ip));
    expect(results).toEqual(['sent', 'sent', 'sent', 'RATE_LIMITED', 'sent', 'sent', 'RATE_LIMITED']);
    await expect(codes.send({ ...phone, scene: 'SIGN_IN' }, 'd')).resolves.toBeDefined();
    now += 60 * MINUTE_MS;
    expect(await request(codes, 'a')).toBe('sent');
  });

  test('allow one of twenty concurrent requests for codes for one phone number and scene', async () => {
    const phone = environment.uniquePhone();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => codes.send({ ...phone, scene: 'SIGN_UP' }, IP_ADDRESS)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('apply per IP address or IPv6 /64 network, without using up the limit of a phone number', async () => {
    const limited = (await environment.replica({ RATE_LIMIT_SMS_ADDRESS: 2 })).get(SmsCodeService);
    const phone = environment.uniquePhone();
    await limited.send({ ...environment.uniquePhone(), scene: 'SIGN_UP' }, '2001:db8:7::1');
    await limited.send({ ...environment.uniquePhone(), scene: 'SIGN_UP' }, '2001:db8:7::2');
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const rejected = limited.send({ ...phone, scene: 'SIGN_UP' }, '2001:db8:7::3');
      await expect(rejected).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    }
    await expect(limited.send({ ...phone, scene: 'SIGN_UP' }, '2001:db8:8::1')).resolves.toBeDefined();
  });

  test('apply per IP address and block of phone numbers, without using up the limit of the IP address', async () => {
    const settings = { RATE_LIMIT_SMS_PREFIX: 2, RATE_LIMIT_SMS_ADDRESS: 3 };
    const limited = (await environment.replica(settings)).get(SmsCodeService);
    const send = (phoneNumber: string, ip = '2001:db8:9::1') =>
      limited.send({ areaCode: '+86', phoneNumber, scene: 'SIGN_UP' }, ip);
    for (const phoneNumber of ['18812340001', '18812340002']) await send(phoneNumber);
    for (const phoneNumber of ['18812340003', '18812340004'])
      await expect(send(phoneNumber)).rejects.toMatchObject({ details: [{ rule: 'sms.address-prefix' }] });
    await send('18812350001');
    await expect(send('18812350002')).rejects.toMatchObject({ details: [{ rule: 'sms.address' }] });
    await send('18812340003', '2001:db8:a::1');
  });

  test('are higher for the IP addresses of a carrier', async () => {
    const settings = { RATE_LIMIT_SMS_ADDRESS: 1, CARRIER_NETWORKS: '2001:db8:b::/48=3' };
    const limited = (await environment.replica(settings)).get(SmsCodeService);
    const send = () => limited.send({ ...environment.uniquePhone(), scene: 'SIGN_UP' }, '2001:db8:b::1');
    for (let index = 0; index < 3; index += 1) await send();
    await expect(send()).rejects.toMatchObject({ details: [{ rule: 'sms.address' }] });
  });

  test('apply to the total of all codes for all phone numbers and IP addresses', async () => {
    const limited = (await environment.replica({ RATE_LIMIT_SMS_TOTAL: 1 })).get(SmsCodeService);
    const rejected = limited.send({ ...environment.uniquePhone(), scene: 'SIGN_UP' }, '192.0.2.77');
    await expect(rejected).rejects.toMatchObject({ details: [{ field: 'limit', rule: 'sms.all' }] });
  });

  test('store neither phone numbers nor IP addresses in the counters', async () => {
    const rows = await environment.query<{ key: Buffer }>('SELECT key FROM userctx.attempt_counter');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ key }) => key.length === 16)).toBe(true);
  });
});
