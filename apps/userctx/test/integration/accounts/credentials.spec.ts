import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { TokensDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AccountService } from '../../../src/contexts/accounts/account.service.js';
import { SessionService } from '../../../src/contexts/accounts/sessions/session.service.js';
import { SignInService } from '../../../src/contexts/accounts/sessions/sign-in.service.js';
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
let credentials: AccountService;
let stepUpService: AccountService;
let sessions: SessionService;

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open({ RATE_LIMIT_SMS_PHONE: 20 });
  replica = await environment.replica();
  credentials = replica.get(AccountService);
  stepUpService = replica.get(AccountService);
  sessions = replica.get(SessionService);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => environment.close());

function callerOf({ accessToken, userId }: TokensDto): Principal {
  return { type: 'user', id: userId, sessionId: String(decodeJwt(accessToken)['sid']) };
}

const signIn = (phone: { areaCode: string; phoneNumber: string }, password: string): Promise<TokensDto> =>
  replica.get(SignInService).signIn({ ...phone, password }, { ip: IP_ADDRESS });

async function activeSessionIdsOf(caller: Principal): Promise<string[]> {
  return (await sessions.list(caller, {})).items.map(({ sessionId }) => sessionId);
}

describe('AccountService', () => {
  it('accepts the password, and a code of scene STEP_UP once', async () => {
    const phone = environment.uniquePhone();
    const { userId } = await environment.signUp(replica, phone);
    await expect(stepUpService.verifyStepUp(userId, { password: PASSWORD })).resolves.toBeUndefined();
    const code = await environment.requestCode(replica, phone, 'STEP_UP');
    await expect(stepUpService.verifyStepUp(userId, code)).resolves.toBeUndefined();
    await expect(stepUpService.verifyStepUp(userId, code)).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
  });

  it('rejects a missing or wrong credential, a code of another scene and a code for another phone number', async () => {
    const [phone, foreign] = [environment.uniquePhone(), environment.uniquePhone()];
    const { userId } = await environment.signUp(replica, phone);
    await environment.signUp(replica, foreign);
    const right = await environment.requestCode(replica, phone, 'STEP_UP');
    const proofs = [
      undefined,
      {},
      { password: 'wrong-password-77' },
      { challengeId: right.challengeId },
      { ...right, code: differentCode(right.code) },
      await environment.requestCode(replica, phone, 'SIGN_IN'),
      await environment.requestCode(replica, foreign, 'STEP_UP'),
      await environment.requestCode(replica, environment.uniquePhone(), 'STEP_UP'),
    ];
    for (const proof of proofs) {
      await expect(stepUpService.verifyStepUp(userId, proof)).rejects.toMatchObject({
        reason: 'STEP_UP_REQUIRED',
        status: 403,
      });
    }
  });
});

describe('attempt counters', () => {
  it('reject a call inside a transaction, whose rollback would discard the counted guess', async () => {
    const phone = environment.uniquePhone();
    const { userId } = await environment.signUp(replica, phone);
    const code = await environment.requestCode(replica, phone, 'STEP_UP');
    const unitOfWork = replica.get(UserctxUnitOfWork);
    for (const proof of [{ password: PASSWORD }, code]) {
      await expect(unitOfWork.run(() => stepUpService.verifyStepUp(userId, proof))).rejects.toThrow(
        'in a separate transaction',
      );
    }
  });
});

describe('password/set', () => {
  it('requires a step-up, ends all other sessions and keeps the current one', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    const other = await signIn(phone, PASSWORD);
    const withoutStepUp = credentials.setPassword(caller, { password: NEW_PASSWORD });
    await expect(withoutStepUp).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    await credentials.setPassword(caller, { password: NEW_PASSWORD, stepUp: { password: PASSWORD } });
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

  it('sets the first password without a step-up within ten minutes of the sign-in', async () => {
    const phone = environment.uniquePhone();
    const code = await environment.requestCode(replica, phone, 'SIGN_UP');
    const caller = callerOf(await replica.get(SignInService).signUp(code, { ip: IP_ADDRESS }));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 10 * 60_000 + 1);
    const withoutStepUp = credentials.setPassword(caller, { password: NEW_PASSWORD });
    await expect(withoutStepUp).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    jest.restoreAllMocks();
    await credentials.setPassword(caller, { password: NEW_PASSWORD });
    const second = credentials.setPassword(caller, { password: PASSWORD });
    await expect(second).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
  });

  it('rejects weak passwords, including the phone number', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    for (const password of ['password1', phone.phoneNumber]) {
      const weak = credentials.setPassword(caller, { password, stepUp: { password: PASSWORD } });
      await expect(weak).rejects.toMatchObject({ reason: 'PASSWORD_TOO_WEAK' });
    }
  });

  it('ends the sessions of concurrent sign-ins with the old password', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    const change = credentials.setPassword(caller, { password: NEW_PASSWORD, stepUp: { password: PASSWORD } });
    const racing = Array.from({ length: 12 }, () => signIn(phone, PASSWORD).catch(() => undefined));
    await change;
    await Promise.all(racing);
    expect(await activeSessionIdsOf(caller)).toEqual([caller.sessionId]);
  });
});

describe('password/reset', () => {
  it('accepts a code sent to the account’s phone number once and ends every session', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    const code = await environment.requestCode(replica, phone, 'RESET_PASSWORD');
    await credentials.resetPassword({ ...code, password: NEW_PASSWORD }, IP_ADDRESS);
    expect(await activeSessionIdsOf(caller)).toEqual([]);
    await expect(signIn(phone, NEW_PASSWORD)).resolves.toBeDefined();
    const reused = credentials.resetPassword({ ...code, password: PASSWORD }, IP_ADDRESS);
    await expect(reused).rejects.toMatchObject({ reason: 'CODE_INVALID' });
  });

  it('rejects a wrong code and a phone number without an account with the same error', async () => {
    const phone = environment.uniquePhone();
    await environment.signUp(replica, phone);
    const registered = await environment.requestCode(replica, phone, 'RESET_PASSWORD');
    const unregistered = await environment.requestCode(replica, environment.uniquePhone(), 'RESET_PASSWORD');
    for (const submitted of [
      { ...registered, code: differentCode(registered.code) },
      { ...unregistered, code: differentCode(unregistered.code) },
      unregistered,
    ]) {
      const rejected = credentials.resetPassword({ ...submitted, password: NEW_PASSWORD }, IP_ADDRESS);
      await expect(rejected).rejects.toMatchObject({ reason: 'CODE_INVALID' });
    }
  });
});

describe('phone/change', () => {
  it('moves the account, after a step-up, to the phone number that received the code', async () => {
    const [phone, next] = [environment.uniquePhone(), environment.uniquePhone()];
    const caller = callerOf(await environment.signUp(replica, phone));
    const code = await environment.requestCode(replica, next, 'CHANGE_PHONE');
    await expect(credentials.changePhone(caller, code)).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    await credentials.changePhone(caller, { ...code, stepUp: { password: PASSWORD } });
    expect((await signIn(next, PASSWORD)).userId).toBe(caller.id);
    await expect(signIn(phone, PASSWORD)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    expect(await replica.get(AccountService).findProfile(caller.id)).toMatchObject(next);
  });

  it('rejects a phone number that has an account, and changes neither account', async () => {
    const [phone, taken] = [environment.uniquePhone(), environment.uniquePhone()];
    const caller = callerOf(await environment.signUp(replica, phone));
    const owner = await environment.signUp(replica, taken);
    const code = await environment.requestCode(replica, taken, 'CHANGE_PHONE');
    const rejected = credentials.changePhone(caller, { ...code, stepUp: { password: PASSWORD } });
    await expect(rejected).rejects.toMatchObject({ reason: 'ACCOUNT_EXISTS' });
    expect((await signIn(taken, PASSWORD)).userId).toBe(owner.userId);
    expect((await signIn(phone, PASSWORD)).userId).toBe(caller.id);
  });
});

describe('profile', () => {
  it('changes the submitted fields, leaves omitted ones unchanged and publishes an event', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    const profiles = replica.get(AccountService);
    await profiles.updateProfile(caller, { nickname: 'Anna', avatar: 'media/1' });
    await profiles.updateProfile(caller, { timeZone: 'Europe/Berlin', avatar: null });
    expect(await profiles.getProfile(caller)).toEqual({
      ...phone,
      userId: caller.id,
      nickname: 'Anna',
      avatar: null,
      timeZone: 'Europe/Berlin',
      hasPassword: true,
      createdAt: expect.any(Number),
    });
    expect(await replica.get(AccountService).findProfile(caller.id)).toEqual({
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

  it('is null for an unknown user id', async () => {
    expect(await replica.get(AccountService).findProfile(crypto.randomUUID())).toBeNull();
  });
});
