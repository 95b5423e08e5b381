import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { SignInDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { KeyRingService } from '../../../src/contexts/accounts/keys/key-ring.service.js';
import { SignInService } from '../../../src/contexts/accounts/sessions/sign-in.service.js';
import { AccountsTestEnvironment, ADDRESS, PASSWORD, wrong } from '../../support/accounts-test-environment.js';

let world: AccountsTestEnvironment;
let replica: INestApplicationContext;
let signIns: SignInService;

beforeAll(async () => {
  world = await AccountsTestEnvironment.open();
  replica = await world.replica();
  signIns = replica.get(SignInService);
});

afterAll(() => world.close());

async function refusalOf(request: SignInDto): Promise<ServiceError> {
  const refusal: unknown = await signIns.signIn(request, { address: ADDRESS }).catch((error: unknown) => error);
  if (!(refusal instanceof ServiceError)) throw new Error('No refusal');
  return refusal;
}

async function accountsOf({ phoneNumber }: { phoneNumber: string }): Promise<number> {
  const rows = await world.query('SELECT 1 FROM userctx.account WHERE phone_number = $1', [phoneNumber]);
  return rows.length;
}

describe('signing up', () => {
  it('gives tokens that the platform accepts', async () => {
    const tokens = await world.signUp(replica);
    expect(tokens).toMatchObject({ tokenType: 'Bearer', expiresIn: 600, userId: expect.any(String) });
    const verifier = new TokenVerifier(replica.get(KeyRingService).keySource);
    const feed = { isFresh: true, isRevoked: () => false, onRevoked: () => () => {}, onFreshness: () => () => {} };
    const principal = await new Authenticator(verifier, feed).authenticate(`Bearer ${tokens.accessToken}`);
    expect(principal).toEqual({ type: 'user', id: tokens.userId, sessionId: expect.any(String) });
  });

  it('makes one account of two requests at once', async () => {
    const phone = world.phone();
    const code = await world.code(replica, phone, 'SIGN_UP');
    const origin = { address: ADDRESS };
    const results = await Promise.allSettled([signIns.signUp(code, origin), signIns.signUp(code, origin)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await accountsOf(phone)).toBe(1);
  });

  it('tells that the phone has an account only to who holds its code', async () => {
    const phone = world.phone();
    await world.signUp(replica, phone);
    const given = await world.code(replica, phone, 'SIGN_UP');
    const guess = signIns.signUp({ ...given, code: wrong(given.code) }, { address: ADDRESS });
    await expect(guess).rejects.toMatchObject({ reason: 'CODE_INVALID' });
    await expect(signIns.signUp(given, { address: ADDRESS })).rejects.toMatchObject({ reason: 'ACCOUNT_EXISTS' });
    await expect(signIns.signUp(given, { address: ADDRESS })).rejects.toMatchObject({ reason: 'CODE_INVALID' });
    expect(await accountsOf(phone)).toBe(1);
  });

  it('refuses a weak password without using up the code', async () => {
    const given = await world.code(replica, world.phone(), 'SIGN_UP');
    const weak = signIns.signUp({ ...given, password: '12345678' }, { address: ADDRESS });
    await expect(weak).rejects.toMatchObject({ reason: 'PASSWORD_TOO_WEAK' });
    await expect(signIns.signUp({ ...given, password: PASSWORD }, { address: ADDRESS })).resolves.toBeDefined();
  });

  it('keeps passwords as argon2id only', async () => {
    const phone = world.phone();
    await world.signUp(replica, phone);
    const [row] = await world.query<{ password_hash: string }>(
      'SELECT password_hash FROM userctx.account WHERE phone_number = $1',
      [phone.phoneNumber],
    );
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

describe('signing in', () => {
  it('takes the password, with and without + before the area code', async () => {
    const phone = world.phone();
    const { userId } = await world.signUp(replica, phone);
    for (const areaCode of ['86', '+86']) {
      const tokens = await signIns.signIn({ ...phone, areaCode, password: PASSWORD }, { address: ADDRESS });
      expect(tokens.userId).toBe(userId);
    }
  });

  it('takes a code of its scene', async () => {
    const phone = world.phone();
    const { userId } = await world.signUp(replica, phone, undefined);
    const given = await world.code(replica, phone, 'SIGN_IN');
    expect((await signIns.signIn(given, { address: ADDRESS })).userId).toBe(userId);
  });

  it('refuses alike whatever is wrong', async () => {
    const [known, noPassword] = [world.phone(), world.phone()];
    await world.signUp(replica, known);
    const code = await world.code(replica, noPassword, 'SIGN_UP');
    await signIns.signUp(code, { address: ADDRESS });
    const stranger = await world.code(replica, world.phone(), 'SIGN_IN');
    const refusals = [
      await refusalOf({ ...known, password: 'wrong-password-77' }),
      await refusalOf({ ...world.phone(), password: 'wrong-password-77' }),
      await refusalOf({ ...noPassword, password: 'wrong-password-77' }),
      await refusalOf({ ...stranger, code: wrong(stranger.code) }),
      await refusalOf(stranger),
    ];
    const told = refusals.map(({ code, reason, message, details, retryAfter }) =>
      JSON.stringify({ code, reason, message, details, retryAfter }),
    );
    expect(new Set(told).size).toBe(1);
    expect(refusals[0]?.reason).toBe('CREDENTIALS_INVALID');
  });

  it('takes as long for an unknown phone as for a wrong password', async () => {
    const known = world.phone();
    await world.signUp(replica, known);
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let round = 0; round < 15; round += 1) {
      for (const [kind, phone] of [['known', known] as const, ['unknown', world.phone()] as const]) {
        const start = performance.now();
        await refusalOf({ ...phone, password: 'wrong-password-77' });
        times[kind].push(performance.now() - start);
      }
    }
    const median = (values: number[]): number => values.toSorted((a, b) => a - b)[7] ?? 0;
    // Without the dummy hash an unknown phone would be refused in a tenth of the time.
    expect(median(times.unknown) / median(times.known)).toBeGreaterThan(0.6);
    expect(median(times.unknown) / median(times.known)).toBeLessThan(1.7);
  });

  it('says what is missing when it is neither pair', async () => {
    const refusal = await refusalOf({ areaCode: '+86', password: PASSWORD });
    expect(refusal).toMatchObject({ reason: 'VALIDATION_FAILED', status: 400 });
  });
});

describe('limits of signing in', () => {
  it('limits the attempts of an address a minute', async () => {
    const limited = (await world.replica({ RATE_LIMIT_SIGN_IN: 3 })).get(SignInService);
    const attempt = () => limited.signIn({ ...world.phone(), password: 'wrong-password-77' }, { address: '192.0.2.9' });
    for (let index = 0; index < 3; index += 1) {
      await expect(attempt()).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    }
    await expect(attempt()).rejects.toMatchObject({ reason: 'RATE_LIMITED', retryAfter: expect.any(Number) });
  });

  it('limits wrong passwords of a phone from any address, with an account or without; right ones are not counted', async () => {
    const known = world.phone();
    await world.signUp(replica, known);
    for (let index = 0; index < 5; index += 1) {
      await signIns.signIn({ ...known, password: PASSWORD }, { address: ADDRESS });
    }
    for (const phone of [known, world.phone()]) {
      const reasons = new Map<string, number>();
      for (let index = 0; index < 32; index += 1) {
        const refused = signIns.signIn({ ...phone, password: 'wrong-password-77' }, { address: `198.51.100.${index}` });
        const { reason } = (await refused.catch((error: unknown) => error)) as ServiceError;
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
      expect(Object.fromEntries(reasons)).toEqual({ CREDENTIALS_INVALID: 30, RATE_LIMITED: 2 });
    }
    const code = await world.code(replica, known, 'SIGN_IN');
    await expect(signIns.signIn(code, { address: ADDRESS })).resolves.toBeDefined();
  });
});
