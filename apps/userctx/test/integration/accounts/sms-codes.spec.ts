import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chmod, stat, writeFile } from 'node:fs/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { AccountsMaintenanceJob } from '../../../src/contexts/accounts/accounts-maintenance.job.js';
import { SignInService } from '../../../src/contexts/accounts/sessions/sign-in.service.js';
import { SmsCodeService } from '../../../src/contexts/accounts/codes/sms-code.service.js';
import { AccountsTestEnvironment, ADDRESS, wrong } from '../../support/accounts-test-environment.js';

let world: AccountsTestEnvironment;
let replica: INestApplicationContext;
let codes: SmsCodeService;
let signIns: SignInService;

beforeAll(async () => {
  world = await AccountsTestEnvironment.open();
  replica = await world.replica();
  codes = replica.get(SmsCodeService);
  signIns = replica.get(SignInService);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => world.close());

interface ChallengeRow {
  challenge_id: string;
  tries: number;
  digest: Buffer;
  consumed_at: number | null;
}

async function rowOf(challengeId: string): Promise<ChallengeRow | undefined> {
  const rows = await world.query<ChallengeRow>('SELECT * FROM userctx.sms_challenge WHERE challenge_id = $1', [
    challengeId,
  ]);
  return rows[0];
}

describe('sending a code', () => {
  it('writes one JSON line, readable by its owner only, before it answers', async () => {
    const phone = world.phone();
    const before = Date.now();
    await writeFile(world.smsOutbox, '', { flag: 'a' });
    await chmod(world.smsOutbox, 0o644);
    const answer = await codes.send({ ...phone, areaCode: '86', scene: 'SIGN_UP' }, ADDRESS);
    const last = (await world.messages()).at(-1);
    expect(answer).toEqual({ challengeId: expect.stringMatching(/^[0-9a-f-]{36}$/), expiresIn: 300, resendAfter: 60 });
    expect(last).toEqual({
      areaCode: '+86',
      phoneNumber: phone.phoneNumber,
      scene: 'SIGN_UP',
      code: expect.stringMatching(/^\d{6}$/),
      time: expect.any(Number),
    });
    expect(last?.['time']).toBeGreaterThanOrEqual(before);
    expect((await stat(world.smsOutbox)).mode & 0o777).toBe(0o600);
  });

  it('keeps no code in the database', async () => {
    const { challengeId, code } = await world.code(replica, world.phone(), 'SIGN_IN');
    const row = await rowOf(challengeId);
    expect(row?.digest).toHaveLength(32);
    expect(JSON.stringify(row)).not.toContain(code);
  });

  it('ends the code before it of the same phone and scene, and no other', async () => {
    const phone = world.phone();
    const first = await world.code(replica, phone, 'SIGN_UP');
    const other = await world.code(replica, phone, 'STEP_UP');
    const second = await world.code(replica, phone, 'SIGN_UP');
    expect(await codes.verify(first, 'SIGN_UP')).toBeUndefined();
    expect(await codes.verify(other, 'STEP_UP')).toMatchObject(phone);
    expect(await codes.verify(second, 'SIGN_UP')).toMatchObject(phone);
  });

  it('leaves one live code when two are asked for at once', async () => {
    const phone = world.phone();
    const sent = await Promise.all([1, 2].map(() => codes.send({ ...phone, scene: 'SIGN_UP' }, ADDRESS)));
    const rows = await Promise.all(sent.map(({ challengeId }) => rowOf(challengeId)));
    expect(rows.filter(Boolean)).toHaveLength(1);
  });
});

describe('a provider that fails', () => {
  it('is told to the client, without the phone number', async () => {
    const broken = await world.replica({ DATA_DIR: world.smsOutbox });
    const phone = world.phone();
    const refusal: unknown = await broken
      .get(SmsCodeService)
      .send({ ...phone, scene: 'SIGN_UP' }, ADDRESS)
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ reason: 'SMS_UNAVAILABLE', status: 503, retryAfter: 30 });
    expect(String(refusal)).not.toContain(phone.phoneNumber);
  });
});

describe('guessing a code', () => {
  it('counts five of a thousand parallel guesses, and takes not even the right code afterwards', async () => {
    const phone = world.phone();
    await world.signUp(replica, phone);
    const given = await world.code(replica, phone, 'SIGN_IN');
    const guesses = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(6, '0')).filter(
      (code) => code !== given.code,
    );
    const results = await Promise.allSettled(
      guesses.map((code) => signIns.signIn({ challengeId: given.challengeId, code }, { address: ADDRESS })),
    );
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await rowOf(given.challengeId)).toMatchObject({ tries: 5, consumed_at: null });
    await expect(signIns.signIn(given, { address: ADDRESS })).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    expect((await rowOf(given.challengeId))?.tries).toBe(5);
  });

  it('has the counter committed when the refusal arrives', async () => {
    const given = await world.code(replica, world.phone(), 'SIGN_UP');
    const refusal = signIns.signUp({ ...given, code: wrong(given.code) }, { address: ADDRESS });
    await expect(refusal).rejects.toMatchObject({ reason: 'CODE_INVALID' });
    expect((await rowOf(given.challengeId))?.tries).toBe(1);
  });

  it('opens one operation, however many ask at once', async () => {
    const phone = world.phone();
    await world.signUp(replica, phone);
    const given = await world.code(replica, phone, 'SIGN_IN');
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => signIns.signIn(given, { address: ADDRESS })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('takes no code of another scene, no unknown challenge, and no text that is none', async () => {
    const given = await world.code(replica, world.phone(), 'SIGN_UP');
    expect(await codes.verify(given, 'SIGN_IN')).toBeUndefined();
    expect(await codes.verify({ ...given, challengeId: crypto.randomUUID() }, 'SIGN_UP')).toBeUndefined();
    expect(await codes.verify({ ...given, challengeId: "' OR 1=1 --" }, 'SIGN_UP')).toBeUndefined();
    expect((await rowOf(given.challengeId))?.tries).toBe(0);
  });

  it('takes a code for five minutes, and forgets it after ten', async () => {
    const given = await world.code(replica, world.phone(), 'SIGN_UP');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 5 * 60_000 + 1);
    expect(await codes.verify(given, 'SIGN_UP')).toBeUndefined();
    jest.spyOn(Date, 'now').mockReturnValue(now + 10 * 60_000 + 1);
    await replica.get(AccountsMaintenanceJob).run();
    expect(await rowOf(given.challengeId)).toBeUndefined();
  });
});

describe('limits', () => {
  it('sends five codes an hour to one phone, in all scenes together and on all replicas', async () => {
    const phone = world.phone();
    const other = (await world.replica()).get(SmsCodeService);
    for (const scene of ['SIGN_UP', 'SIGN_IN', 'STEP_UP'] as const) await codes.send({ ...phone, scene }, ADDRESS);
    for (const scene of ['SIGN_UP', 'SIGN_IN'] as const) await other.send({ ...phone, scene }, ADDRESS);
    const sixth = codes.send({ ...phone, areaCode: '86', scene: 'SIGN_UP' }, ADDRESS);
    await expect(sixth).rejects.toMatchObject({ reason: 'RATE_LIMITED', retryAfter: expect.any(Number) });
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60 * 60_000 + 1);
    await expect(codes.send({ ...phone, scene: 'SIGN_UP' }, ADDRESS)).resolves.toBeDefined();
  });

  it('keeps to the limit when requests come at once', async () => {
    const phone = world.phone();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => codes.send({ ...phone, scene: 'SIGN_UP' }, ADDRESS)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  });

  it('limits an address, an IPv6 network as one, without using up a phone’s own limit', async () => {
    const limited = (await world.replica({ RATE_LIMIT_SMS_ADDRESS: 2 })).get(SmsCodeService);
    const phone = world.phone();
    await limited.send({ ...world.phone(), scene: 'SIGN_UP' }, '2001:db8:7::1');
    await limited.send({ ...world.phone(), scene: 'SIGN_UP' }, '2001:db8:7::2');
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const refused = limited.send({ ...phone, scene: 'SIGN_UP' }, '2001:db8:7::3');
      await expect(refused).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    }
    await expect(limited.send({ ...phone, scene: 'SIGN_UP' }, '2001:db8:8::1')).resolves.toBeDefined();
  });

  it('limits all codes together', async () => {
    const limited = (await world.replica({ RATE_LIMIT_SMS_TOTAL: 1 })).get(SmsCodeService);
    const refused = limited.send({ ...world.phone(), scene: 'SIGN_UP' }, '192.0.2.77');
    await expect(refused).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
  });

  it('keeps neither phone numbers nor addresses in the counters', async () => {
    const rows = await world.query<{ key: Buffer }>('SELECT key FROM userctx.attempt_counter');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ key }) => key.length === 16)).toBe(true);
  });
});
