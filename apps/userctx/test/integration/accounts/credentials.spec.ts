import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { TokensDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AccountService } from '../../../src/accounts/account.service.js';
import { SessionService, type IssuedTokens } from '../../../src/accounts/sessions/session.service.js';
import { SignInService } from '../../../src/accounts/sessions/sign-in.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import {
  AccountsTestEnvironment,
  IP_ADDRESS,
  PASSWORD,
  differentCode,
} from '../../support/accounts-test-environment.js';

const NEW_PASSWORD = 'kettle under 19 moons';

let environment: AccountsTestEnvironment;
let replica: INestApplicationContext;
let accounts: AccountService;
let sessions: SessionService;

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open({ RATE_LIMIT_SMS_PHONE: 20 });
  replica = await environment.replica();
  accounts = replica.get(AccountService);
  sessions = replica.get(SessionService);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => environment.close());

function callerOf({ accessToken, userId }: TokensDto): Principal {
  return { type: 'user', id: userId, sessionId: String(decodeJwt(accessToken)['sid']) };
}

const signIn = (phone: { areaCode: string; phoneNumber: string }, password: string): Promise<IssuedTokens> =>
  replica.get(SignInService).signIn({ ...phone, password }, { ip: IP_ADDRESS });

async function activeSessionIdsOf(caller: Principal): Promise<string[]> {
  return (await sessions.list(caller, {})).items.map(({ sessionId }) => sessionId);
}

describe('AccountService.verifyStepUp', () => {
  test('accepts the password, and a code of scene STEP_UP once', async () => {
    const phone = environment.uniquePhone();
    const { userId } = await environment.signUp(replica, phone);
    await expect(accounts.verifyStepUp(userId, { password: PASSWORD })).resolves.toBeUndefined();
    const code = await environment.requestCode(replica, phone, 'STEP_UP');
    await expect(accounts.verifyStepUp(userId, code)).resolves.toBeUndefined();
    await expect(accounts.verifyStepUp(userId, code)).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
  });

  test('rejects a missing or wrong credential, a code of another scene and a code for another phone number', async () => {
    const [phone, foreign] = [environment.uniquePhone(), environment.uniquePhone()];
    const { userId } = await environment.signUp(replica, phone);
    await environment.signUp(replica, foreign);
    const validCode = await environment.requestCode(replica, phone, 'STEP_UP');
    const proofs = [
      undefined,
      {},
      { password: 'wrong-password-77' },
      { challengeId: validCode.challengeId },
      { ...validCode, code: differentCode(validCode.code) },
      await environment.requestCode(replica, phone, 'SIGN_IN'),
      await environment.requestCode(replica, foreign, 'STEP_UP'),
      await environment.requestCode(replica, environment.uniquePhone(), 'STEP_UP'),
    ];
    for (const proof of proofs) {
      await expect(accounts.verifyStepUp(userId, proof)).rejects.toMatchObject({
        reason: 'STEP_UP_REQUIRED',
        status: 403,
      });
    }
  });
});

describe('attempt counters', () => {
  test('reject a step-up inside a transaction, because a rollback would discard the counted attempt', async () => {
    const phone = environment.uniquePhone();
    const { userId } = await environment.signUp(replica, phone);
    const code = await environment.requestCode(replica, phone, 'STEP_UP');
    const unitOfWork = replica.get(UserctxUnitOfWork);
    for (const proof of [{ password: PASSWORD }, code]) {
      await expect(unitOfWork.run(() => accounts.verifyStepUp(userId, proof))).rejects.toThrow(
        'in a separate transaction',
      );
    }
  });
});

describe('password/set', () => {
  test('requires a step-up, and ends all sessions except the current one', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    const other = await signIn(phone, PASSWORD);
    const withoutStepUp = accounts.setPassword(caller, { password: NEW_PASSWORD });
    await expect(withoutStepUp).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    await accounts.setPassword(caller, { password: NEW_PASSWORD, stepUp: { password: PASSWORD } });
    expect(await activeSessionIdsOf(caller)).toEqual([caller.sessionId]);
    expect(environment.publisher.published).toContainEqual(
      expect.objectContaining({ scope: { sessionId: callerOf(other).sessionId } }),
    );
    expect(environment.publisher.published).not.toContainEqual(
      expect.objectContaining({ scope: { sessionId: caller.sessionId } }),
    );
    await expect(sessions.refresh(other.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    await expect(signIn(phone, PASSWORD)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    await expect(signIn(phone, NEW_PASSWORD)).resolves.toBeDefined();
  });

  test('sets the first password without a step-up only within ten minutes of the sign-in', async () => {
    const phone = environment.uniquePhone();
    const code = await environment.requestCode(replica, phone, 'SIGN_UP');
    const caller = callerOf(await replica.get(SignInService).signUp(code, { ip: IP_ADDRESS }));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 10 * 60_000 + 1);
    const withoutStepUp = accounts.setPassword(caller, { password: NEW_PASSWORD });
    await expect(withoutStepUp).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    jest.restoreAllMocks();
    await accounts.setPassword(caller, { password: NEW_PASSWORD });
    const second = accounts.setPassword(caller, { password: PASSWORD });
    await expect(second).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
  });

  test('rejects weak passwords, for example the phone number of the account', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    for (const password of ['password1', phone.phoneNumber]) {
      const weak = accounts.setPassword(caller, { password, stepUp: { password: PASSWORD } });
      await expect(weak).rejects.toMatchObject({ reason: 'PASSWORD_TOO_WEAK' });
    }
  });

  test('ends the sessions of concurrent sign-ins with the old password', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    const change = accounts.setPassword(caller, { password: NEW_PASSWORD, stepUp: { password: PASSWORD } });
    const concurrentSignIns = Array.from({ length: 12 }, () => signIn(phone, PASSWORD).catch(() => undefined));
    await change;
    await Promise.all(concurrentSignIns);
    expect(await activeSessionIdsOf(caller)).toEqual([caller.sessionId]);
  });
});

describe('password/reset', () => {
  test('accepts a code sent to the account’s phone number once and ends every session', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    const code = await environment.requestCode(replica, phone, 'RESET_PASSWORD');
    await accounts.resetPassword({ ...code, password: NEW_PASSWORD }, IP_ADDRESS);
    expect(await activeSessionIdsOf(caller)).toEqual([]);
    await expect(signIn(phone, NEW_PASSWORD)).resolves.toBeDefined();
    const reused = accounts.resetPassword({ ...code, password: PASSWORD }, IP_ADDRESS);
    await expect(reused).rejects.toMatchObject({ reason: 'CODE_INVALID' });
  });

  test('rejects a wrong code and a phone number without an account with the same error', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone);
    const registered = await environment.requestCode(replica, phone, 'RESET_PASSWORD');
    const unregistered = await environment.requestCode(replica, environment.uniquePhone(), 'RESET_PASSWORD');
    for (const submitted of [
      { ...registered, code: differentCode(registered.code) },
      { ...unregistered, code: differentCode(unregistered.code) },
      unregistered,
    ]) {
      const rejected = accounts.resetPassword({ ...submitted, password: NEW_PASSWORD }, IP_ADDRESS);
      await expect(rejected).rejects.toMatchObject({ reason: 'CODE_INVALID' });
    }
  });
});

describe('phone/change', () => {
  test('changes the phone number of the account, after a step-up, to the number that received the code', async () => {
    const [phone, newPhone] = [environment.uniquePhone(), environment.uniquePhone()];
    const caller = callerOf(await environment.signUp(replica, phone));
    const code = await environment.requestCode(replica, newPhone, 'CHANGE_PHONE');
    await expect(accounts.changePhone(caller, code)).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    await accounts.changePhone(caller, { ...code, stepUp: { password: PASSWORD } });
    expect((await signIn(newPhone, PASSWORD)).userId).toBe(caller.id);
    await expect(signIn(phone, PASSWORD)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    expect(await accounts.findProfile(caller.id)).toMatchObject(newPhone);
  });

  test('rejects a phone number that has an account, and changes neither account', async () => {
    const [phone, taken] = [environment.uniquePhone(), environment.uniquePhone()];
    const caller = callerOf(await environment.signUp(replica, phone));
    const owner = await environment.signUp(replica, taken);
    const code = await environment.requestCode(replica, taken, 'CHANGE_PHONE');
    const rejected = accounts.changePhone(caller, { ...code, stepUp: { password: PASSWORD } });
    await expect(rejected).rejects.toMatchObject({ reason: 'ACCOUNT_EXISTS' });
    expect((await signIn(taken, PASSWORD)).userId).toBe(owner.userId);
    expect((await signIn(phone, PASSWORD)).userId).toBe(caller.id);
  });
});

describe('the profile of an account', () => {
  test('changes only in the submitted fields, and an event is published for each change', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    await accounts.updateProfile(caller, { nickname: 'Anna', avatar: 'media/1' });
    await accounts.updateProfile(caller, { timeZone: 'Europe/Berlin', avatar: null });
    expect(await accounts.getProfile(caller)).toEqual({
      ...phone,
      userId: caller.id,
      nickname: 'Anna',
      avatar: null,
      timeZone: 'Europe/Berlin',
      hasPassword: true,
      createdAt: expect.any(Number),
    });
    expect(await accounts.findProfile(caller.id)).toEqual({
      ...phone,
      userId: caller.id,
      nickname: 'Anna',
      timeZone: 'Europe/Berlin',
    });
    const events = await environment.query(
      `SELECT 1 FROM userctx.outbox WHERE name = 'userctx.profile.changed' AND key = $1`,
      [`user:${caller.id}`],
    );
    expect(events).toHaveLength(2);
  });

  test('is null for an unknown user id', async () => {
    expect(await accounts.findProfile(crypto.randomUUID())).toBeNull();
  });
});
