import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { SignInDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Environment } from '@family-watch/platform/config/environment';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { AccountRepository } from '../../../src/accounts/account.repository.js';
import { SmsCodeService } from '../../../src/accounts/codes/sms-code.service.js';
import { PasswordHasher } from '../../../src/accounts/credentials/passwords.js';
import { KeyRingService } from '../../../src/accounts/keys/key-ring.service.js';
import { createAccount } from '../../../src/accounts/new-account.js';
import { findPhoneTwins } from '../../../src/commands/phone-twins.js';
import { SignInService } from '../../../src/accounts/sessions/sign-in.service.js';
import {
  AccountsTestEnvironment,
  IP_ADDRESS,
  PASSWORD,
  differentCode,
} from '../../support/accounts-test-environment.js';

let environment: AccountsTestEnvironment;
let replica: INestApplicationContext;
let signIns: SignInService;

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open();
  replica = await environment.replica();
  signIns = replica.get(SignInService);
});

afterAll(() => environment.close());

async function rejectionOf(request: SignInDto): Promise<ServiceError> {
  const rejection: unknown = await signIns.signIn(request, { ip: IP_ADDRESS }).catch((error: unknown) => error);
  if (!(rejection instanceof ServiceError)) throw new Error('The sign-in did not fail with a ServiceError');
  return rejection;
}

/** Sends 40 wrong passwords and returns the number of rejections by reason. */
async function sendWrongPasswords(
  request: SignInDto,
  ipOf: (index: number) => string,
): Promise<Record<string, number>> {
  const reasons: Record<string, number> = {};
  for (let index = 0; index < 40; index += 1) {
    const rejected = signIns.signIn({ ...request, password: 'wrong-password-77' }, { ip: ipOf(index) });
    const { reason } = (await rejected.catch((error: unknown) => error)) as ServiceError;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  return reasons;
}

const counters = () => environment.query('SELECT key, attempts FROM userctx.attempt_counter ORDER BY key');

async function countAccounts({ phoneNumber }: { phoneNumber: string }): Promise<number> {
  const rows = await environment.query('SELECT 1 FROM userctx.account WHERE phone_number = $1', [phoneNumber]);
  return rows.length;
}

describe('SignInService.signUp', () => {
  test('returns tokens that the platform’s verifier accepts', async () => {
    const tokens = await environment.signUp(replica);
    expect(tokens).toMatchObject({ tokenType: 'Bearer', expiresIn: 600, userId: expect.any(String) });
    const verifier = new TokenVerifier(replica.get(KeyRingService).keySource);
    const revocationFeed = {
      isFresh: true,
      isRevoked: () => false,
      onRevoked: () => () => {},
      onFreshnessChange: () => () => {},
    };
    const principal = await new Authenticator(verifier, revocationFeed).authenticate(`Bearer ${tokens.accessToken}`);
    expect(principal).toEqual({ type: 'user', id: tokens.userId, sessionId: expect.any(String) });
  });

  test('creates one account for two concurrent requests', async () => {
    const phone = environment.uniquePhone();
    const code = await environment.requestCode(replica, phone, 'SIGN_UP');
    const origin = { ip: IP_ADDRESS };
    const results = await Promise.allSettled([signIns.signUp(code, origin), signIns.signUp(code, origin)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await countAccounts(phone)).toBe(1);
  });

  test('reveals that a phone number has an account only to a caller with an SMS code sent to it', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone);
    const submitted = await environment.requestCode(replica, phone, 'SIGN_UP');
    const guess = signIns.signUp({ ...submitted, code: differentCode(submitted.code) }, { ip: IP_ADDRESS });
    await expect(guess).rejects.toMatchObject({ reason: 'CODE_INVALID' });
    await expect(signIns.signUp(submitted, { ip: IP_ADDRESS })).rejects.toMatchObject({ reason: 'ACCOUNT_EXISTS' });
    await expect(signIns.signUp(submitted, { ip: IP_ADDRESS })).rejects.toMatchObject({ reason: 'CODE_INVALID' });
    expect(await countAccounts(phone)).toBe(1);
  });

  test('rejects a weak password without using up the code', async () => {
    const submitted = await environment.requestCode(replica, environment.uniquePhone(), 'SIGN_UP');
    const weak = signIns.signUp({ ...submitted, password: '12345678' }, { ip: IP_ADDRESS });
    await expect(weak).rejects.toMatchObject({ reason: 'PASSWORD_TOO_WEAK' });
    await expect(signIns.signUp({ ...submitted, password: PASSWORD }, { ip: IP_ADDRESS })).resolves.toBeDefined();
  });

  test('stores passwords only as argon2id hashes', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone);
    const [row] = await environment.query<{ password_hash: string }>(
      'SELECT password_hash FROM userctx.account WHERE phone_number = $1',
      [phone.phoneNumber],
    );
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

describe('SignInService.signIn', () => {
  test('rejects every wrong credential with the same error', async () => {
    const [withPassword, withoutPassword] = [environment.uniquePhone(), environment.uniquePhone()];
    await environment.signUp(replica, withPassword);
    const code = await environment.requestCode(replica, withoutPassword, 'SIGN_UP');
    await signIns.signUp(code, { ip: IP_ADDRESS });
    const stranger = await environment.requestCode(replica, environment.uniquePhone(), 'SIGN_IN');
    const rejections = [
      await rejectionOf({ ...withPassword, password: 'wrong-password-77' }),
      await rejectionOf({ ...environment.uniquePhone(), password: 'wrong-password-77' }),
      await rejectionOf({ ...withoutPassword, password: 'wrong-password-77' }),
      await rejectionOf({ ...stranger, code: differentCode(stranger.code) }),
      await rejectionOf(stranger),
    ];
    const responses = rejections.map(({ code, reason, message, details, retryAfter }) =>
      JSON.stringify({ code, reason, message, details, retryAfter }),
    );
    expect(new Set(responses).size).toBe(1);
    expect(rejections[0]?.reason).toBe('CREDENTIALS_INVALID');
  });

  test('A21 computes one hash of the same cost for an unknown phone number as for a wrong password', async () => {
    const known = environment.uniquePhone();
    await environment.signUp(replica, known);
    const hasher = replica.get<PasswordHasher, { compare: (passwordHash: string) => Promise<boolean> }>(PasswordHasher);
    const compare = jest.spyOn(hasher, 'compare');
    for (const phone of [known, environment.uniquePhone()])
      await rejectionOf({ ...phone, password: 'wrong-password-77' });
    // `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`
    const [knownCost, ...otherCosts] = compare.mock.calls.map(([passwordHash]) => passwordHash.split('$').slice(1, 4));
    compare.mockRestore();
    expect(knownCost?.[0]).toBe('argon2id');
    expect(otherCosts).toEqual([knownCost]);
  });

  test('accepts a password in another normalization form, and renews the hash of an earlier build', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone, 'Zwölf Bäume 41');
    const typed = 'Zwölf Bäume 41'.normalize('NFD');
    const attempt = (password: string) => signIns.signIn({ ...phone, password }, { ip: IP_ADDRESS });
    await expect(attempt(typed)).resolves.toBeDefined();
    const hashOfEarlierBuild = await hash(typed);
    await environment.query('UPDATE userctx.account SET password_hash = $2 WHERE phone_number = $1', [
      phone.phoneNumber,
      hashOfEarlierBuild,
    ]);
    await expect(attempt('Zwölf Bäume 41')).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    await expect(attempt(typed)).resolves.toBeDefined();
    await expect(attempt('Zwölf Bäume 41')).resolves.toBeDefined();
  });

  test('rejects a request with neither phone number and password nor challenge id and code', async () => {
    const rejection = await rejectionOf({ areaCode: '+86', password: PASSWORD });
    expect(rejection).toMatchObject({ reason: 'VALIDATION_FAILED', status: 400 });
  });
});

describe('sign-in rate limits', () => {
  const cheapReplica = async (settings: Partial<Environment> = {}) => {
    const limited = await environment.replica(settings);
    // The limits do not depend on the hash, whose computation takes most of the time of a sign-in.
    const hasher = limited.get<PasswordHasher, { compare: (hash: string, password: string) => Promise<boolean> }>(
      PasswordHasher,
    );
    hasher.compare = async (_, password) => password === PASSWORD;
    return limited;
  };
  let regularSignIns: SignInService;

  beforeAll(async () => {
    regularSignIns = signIns;
    signIns = (await cheapReplica()).get(SignInService);
  });
  afterAll(() => {
    signIns = regularSignIns;
  });

  test('apply per minute to the attempts of an IP address', async () => {
    const limited = (await cheapReplica({ RATE_LIMIT_SIGN_IN: 3 })).get(SignInService);
    const attempt = () =>
      limited.signIn({ ...environment.uniquePhone(), password: 'wrong-password-77' }, { ip: '192.0.2.9' });
    for (let index = 0; index < 3; index += 1) {
      await expect(attempt()).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    }
    await expect(attempt()).rejects.toMatchObject({ reason: 'RATE_LIMITED', retryAfter: expect.any(Number) });
  });

  test('reject attempts of an IP address that has used up its limit, without writing to the database', async () => {
    const limited = (await cheapReplica({ RATE_LIMIT_SIGN_IN: 1 })).get(SignInService);
    const attempt = () =>
      limited.signIn({ ...environment.uniquePhone(), password: 'wrong-password-77' }, { ip: '192.0.2.10' });
    await expect(attempt()).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    await expect(attempt()).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    const before = await counters();
    for (let index = 0; index < 10; index += 1)
      await expect(attempt()).rejects.toMatchObject({ reason: 'RATE_LIMITED', retryAfter: expect.any(Number) });
    expect(await counters()).toEqual(before);
  });

  test('reject attempts for a phone number whose limit is used up from any IP address, without database writes', async () => {
    const phone = environment.uniquePhone();
    const attempt = (ip: string) => signIns.signIn({ ...phone, password: 'wrong-password-77' }, { ip });
    await sendWrongPasswords(phone, (index) => `198.51.100.${index}`);
    const before = await counters();
    await expect(attempt('203.0.113.1')).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    expect(await counters()).toEqual(before);
  });

  test('count no attempt, and nothing is written, while too many passwords wait for their comparison', async () => {
    const overloaded = await environment.replica();
    overloaded.get(PasswordHasher).assertAccepting = () => {
      throw new ServiceError('OVERLOADED');
    };
    const before = await counters();
    const attempt = { ...environment.uniquePhone(), password: PASSWORD };
    await expect(overloaded.get(SignInService).signIn(attempt, { ip: '192.0.2.78' })).rejects.toMatchObject({
      reason: 'OVERLOADED',
    });
    expect(await counters()).toEqual(before);
  });

  test('count no attempt whose password was not compared because the service is overloaded', async () => {
    const overloaded = await environment.replica();
    overloaded.get(PasswordHasher).matches = () => Promise.reject(new ServiceError('OVERLOADED'));
    const phone = environment.uniquePhone();
    const attempt = () => overloaded.get(SignInService).signIn({ ...phone, password: PASSWORD }, { ip: '192.0.2.77' });
    for (let index = 0; index < 40; index += 1) await expect(attempt()).rejects.toMatchObject({ reason: 'OVERLOADED' });
  });

  test('apply to wrong passwords per phone number across IP addresses, and count no correct passwords', async () => {
    const known = environment.uniquePhone();
    await environment.signUp(replica, known);
    for (let index = 0; index < 5; index += 1) {
      await signIns.signIn({ ...known, password: PASSWORD }, { ip: IP_ADDRESS });
    }
    for (const phone of [known, environment.uniquePhone()]) {
      const reasons = await sendWrongPasswords(phone, (index) => `198.51.100.${index}`);
      expect(reasons).toEqual({ CREDENTIALS_INVALID: 30, RATE_LIMITED: 10 });
    }
    const code = await environment.requestCode(replica, known, 'SIGN_IN');
    await expect(signIns.signIn(code, { ip: IP_ADDRESS })).resolves.toBeDefined();
  });

  test('leave attempts for other IP addresses when one IP address has used up its part for a phone number', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone);
    expect(await sendWrongPasswords(phone, () => '203.0.113.1')).toEqual({ CREDENTIALS_INVALID: 10, RATE_LIMITED: 30 });
    await expect(signIns.signIn({ ...phone, password: PASSWORD }, { ip: '203.0.113.2' })).resolves.toBeDefined();
  });

  test('accept a known device by password from any IP address while an attack uses up all other limits', async () => {
    const phone = environment.uniquePhone();
    const { deviceToken } = await environment.signUp(replica, phone);
    const stranger = await environment.signUp(replica);
    const limited = (await cheapReplica({ RATE_LIMIT_SIGN_IN: 20 })).get(SignInService);
    await sendWrongPasswords(phone, (index) => `203.0.113.${10 + (index % 20)}`);
    const request = { ...phone, password: PASSWORD };
    const forged = `${deviceToken.startsWith('A') ? 'B' : 'A'}${deviceToken.slice(1)}`;
    for (const token of [undefined, stranger.deviceToken, forged, 'unknown']) {
      const rejected = signIns.signIn({ ...request, deviceToken: token }, { ip: '203.0.113.99' });
      await expect(rejected).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    }
    for (let index = 0; index < 21; index += 1) {
      const rejected = limited.signIn(
        { ...environment.uniquePhone(), password: 'wrong-password-77' },
        { ip: '203.0.113.98' },
      );
      await expect(rejected).rejects.toBeInstanceOf(ServiceError);
    }
    await expect(limited.signIn({ ...request, deviceToken }, { ip: '203.0.113.98' })).resolves.toBeDefined();
  });

  test('count wrong passwords of a known device for this device only', async () => {
    const phone = environment.uniquePhone();
    const { deviceToken } = await environment.signUp(replica, phone);
    const second = await signIns.signIn({ ...phone, password: PASSWORD }, { ip: IP_ADDRESS });
    expect(await sendWrongPasswords({ ...phone, deviceToken }, () => IP_ADDRESS)).toEqual({
      CREDENTIALS_INVALID: 20,
      RATE_LIMITED: 20,
    });
    const request = { ...phone, password: PASSWORD };
    await expect(signIns.signIn(request, { ip: IP_ADDRESS })).resolves.toBeDefined();
    await expect(
      signIns.signIn({ ...request, deviceToken: second.deviceToken }, { ip: IP_ADDRESS }),
    ).resolves.toBeDefined();
  });
});

describe('phone numbers that have two forms', () => {
  const argentine = { areaCode: '+54', dialled: '91123456701', other: '1123456701' };
  const phoneOf = (phoneNumber: string) => ({ areaCode: argentine.areaCode, phoneNumber });
  const signIn = (phone: { areaCode: string; phoneNumber: string }) =>
    signIns.signIn({ ...phone, password: PASSWORD }, { ip: IP_ADDRESS });
  const storeAccount = (phoneNumber: string) =>
    replica
      .get(AccountRepository)
      .insert({ ...createAccount(phoneOf(phoneNumber), null, {}), areaCode: '+54', phoneNumber });

  test('a new account has the form that the network dials, receives codes there, and signs in with both', async () => {
    const { challengeId } = await replica
      .get(SmsCodeService)
      .send({ ...phoneOf(argentine.other), scene: 'SIGN_UP' }, IP_ADDRESS);
    const sent = (await environment.sentMessages()).at(-1);
    expect(sent).toMatchObject(phoneOf(argentine.dialled));
    const code = String(sent?.['code']);
    const typed = `${code.slice(0, 3)} ${code.slice(3)}`;
    const { userId } = await signIns.signUp({ challengeId, code: typed, password: PASSWORD }, { ip: IP_ADDRESS });
    expect(await replica.get(AccountRepository).findById(userId)).toMatchObject(phoneOf(argentine.dialled));
    for (const form of [argentine.dialled, argentine.other]) expect((await signIn(phoneOf(form))).userId).toBe(userId);
    const second = await environment.requestCode(replica, phoneOf(argentine.dialled), 'SIGN_UP');
    await expect(signIns.signUp({ ...second, password: PASSWORD }, { ip: IP_ADDRESS })).rejects.toMatchObject({
      reason: 'ACCOUNT_EXISTS',
    });
  });

  test('two accounts of one number each keep their form, and are listed for the operator', async () => {
    const accounts = replica.get(AccountRepository);
    const [dialled, other] = ['91123456702', '1123456702'];
    expect(await storeAccount(other)).toBe(true);
    const stored = await accounts.findByPhone(phoneOf(dialled));
    expect(stored?.phoneNumber).toBe(other);
    await environment.query(
      `INSERT INTO userctx.account SELECT (jsonb_populate_record(account, jsonb_build_object('user_id', $2::text, 'phone_number', $3::text))).*
         FROM userctx.account account WHERE user_id = $1`,
      [stored?.userId, randomUUID(), dialled],
    );
    const twin = await accounts.findByPhone(phoneOf(dialled));
    expect(twin?.phoneNumber).toBe(dialled);
    expect((await accounts.findByPhone(phoneOf(other)))?.userId).toBe(stored?.userId);
    const listed = [];
    for await (const twins of findPhoneTwins(accounts)) listed.push(twins);
    expect(listed).toEqual([{ dialled: `+54${dialled}`, userIds: [twin?.userId, stored?.userId] }]);
  });
});
