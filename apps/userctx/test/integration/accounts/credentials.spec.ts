import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { TokensDto } from '@family-watch/domain/accounts/dto/tokens.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AccountDirectoryService } from '../../../src/contexts/accounts/account-directory.service.js';
import { CredentialsService } from '../../../src/contexts/accounts/credentials/credentials.service.js';
import { ProfileService } from '../../../src/contexts/accounts/profile/profile.service.js';
import { SessionService } from '../../../src/contexts/accounts/sessions/session.service.js';
import { SignInService } from '../../../src/contexts/accounts/sessions/sign-in.service.js';
import { StepUpService } from '../../../src/contexts/accounts/credentials/step-up.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { AccountsTestEnvironment, ADDRESS, PASSWORD, wrong } from '../../support/accounts-test-environment.js';

const NEW_PASSWORD = 'kettle under 19 moons';

let world: AccountsTestEnvironment;
let replica: INestApplicationContext;
let credentials: CredentialsService;
let stepUps: StepUpService;
let sessions: SessionService;

beforeAll(async () => {
  world = await AccountsTestEnvironment.open({ RATE_LIMIT_SMS_PHONE: 20 });
  replica = await world.replica();
  credentials = replica.get(CredentialsService);
  stepUps = replica.get(StepUpService);
  sessions = replica.get(SessionService);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => world.close());

function callerOf({ accessToken, userId }: TokensDto): Principal {
  return { type: 'user', id: userId, sessionId: String(decodeJwt(accessToken)['sid']) };
}

const signIn = (phone: { areaCode: string; phoneNumber: string }, password: string): Promise<TokensDto> =>
  replica.get(SignInService).signIn({ ...phone, password }, { address: ADDRESS });

async function standingOf(caller: Principal): Promise<string[]> {
  return (await sessions.list(caller, {})).items.map(({ sessionId }) => sessionId);
}

describe('step-up', () => {
  it('takes the password, or a code of its scene, once', async () => {
    const phone = world.phone();
    const { userId } = await world.signUp(replica, phone);
    await expect(stepUps.verify(userId, { password: PASSWORD })).resolves.toBeUndefined();
    const code = await world.code(replica, phone, 'STEP_UP');
    await expect(stepUps.verify(userId, code)).resolves.toBeUndefined();
    await expect(stepUps.verify(userId, code)).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
  });

  it('is required when it is absent, wrong, of another scene or sent to another person’s phone', async () => {
    const [phone, foreign] = [world.phone(), world.phone()];
    const { userId } = await world.signUp(replica, phone);
    await world.signUp(replica, foreign);
    const right = await world.code(replica, phone, 'STEP_UP');
    const proofs = [
      undefined,
      {},
      { password: 'wrong-password-77' },
      { challengeId: right.challengeId },
      { ...right, code: wrong(right.code) },
      await world.code(replica, phone, 'SIGN_IN'),
      await world.code(replica, foreign, 'STEP_UP'),
      await world.code(replica, world.phone(), 'STEP_UP'),
    ];
    for (const proof of proofs) {
      await expect(stepUps.verify(userId, proof)).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED', status: 403 });
    }
  });
});

describe('counters', () => {
  it('do not run in somebody else’s unit of work, whose rollback would forgive a guess', async () => {
    const phone = world.phone();
    const { userId } = await world.signUp(replica, phone);
    const code = await world.code(replica, phone, 'STEP_UP');
    const unitOfWork = replica.get(UserctxUnitOfWork);
    for (const proof of [{ password: PASSWORD }, code]) {
      await expect(unitOfWork.run(() => stepUps.verify(userId, proof))).rejects.toThrow('a unit of its own');
    }
  });
});

describe('password/set', () => {
  it('needs a step-up, ends all other sessions and keeps this one', async () => {
    const phone = world.phone();
    const caller = callerOf(await world.signUp(replica, phone));
    const other = await signIn(phone, PASSWORD);
    const bare = credentials.setPassword(caller, { password: NEW_PASSWORD });
    await expect(bare).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    await credentials.setPassword(caller, { password: NEW_PASSWORD, stepUp: { password: PASSWORD } });
    expect(await standingOf(caller)).toEqual([caller.sessionId]);
    expect(world.publisher.published).toContainEqual(
      expect.objectContaining({ scope: { sessionId: callerOf(other).sessionId } }),
    );
    expect(world.publisher.published).not.toContainEqual(
      expect.objectContaining({ scope: { sessionId: caller.sessionId } }),
    );
    await expect(sessions.refresh(other.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    await expect(signIn(phone, PASSWORD)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    await expect(signIn(phone, NEW_PASSWORD)).resolves.toBeDefined();
  });

  it('takes the first one without a step-up while the sign-in is fresh', async () => {
    const phone = world.phone();
    const code = await world.code(replica, phone, 'SIGN_UP');
    const caller = callerOf(await replica.get(SignInService).signUp(code, { address: ADDRESS }));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 10 * 60_000 + 1);
    const late = credentials.setPassword(caller, { password: NEW_PASSWORD });
    await expect(late).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    jest.restoreAllMocks();
    await credentials.setPassword(caller, { password: NEW_PASSWORD });
    const second = credentials.setPassword(caller, { password: PASSWORD });
    await expect(second).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
  });

  it('refuses weak ones, the phone number among them', async () => {
    const phone = world.phone();
    const caller = callerOf(await world.signUp(replica, phone));
    for (const password of ['password1', phone.phoneNumber]) {
      const weak = credentials.setPassword(caller, { password, stepUp: { password: PASSWORD } });
      await expect(weak).rejects.toMatchObject({ reason: 'PASSWORD_TOO_WEAK' });
    }
  });

  it('lets no sign-in with the old password slip through while it changes', async () => {
    const phone = world.phone();
    const caller = callerOf(await world.signUp(replica, phone));
    const change = credentials.setPassword(caller, { password: NEW_PASSWORD, stepUp: { password: PASSWORD } });
    const racing = Array.from({ length: 12 }, () => signIn(phone, PASSWORD).catch(() => undefined));
    await change;
    await Promise.all(racing);
    expect(await standingOf(caller)).toEqual([caller.sessionId]);
  });
});

describe('password/reset', () => {
  it('takes the phone’s code and ends every session', async () => {
    const phone = world.phone();
    const caller = callerOf(await world.signUp(replica, phone));
    const code = await world.code(replica, phone, 'RESET_PASSWORD');
    await credentials.resetPassword({ ...code, password: NEW_PASSWORD }, ADDRESS);
    expect(await standingOf(caller)).toEqual([]);
    await expect(signIn(phone, NEW_PASSWORD)).resolves.toBeDefined();
    const again = credentials.resetPassword({ ...code, password: PASSWORD }, ADDRESS);
    await expect(again).rejects.toMatchObject({ reason: 'CODE_INVALID' });
  });

  it('refuses a wrong code and a phone without an account alike', async () => {
    const phone = world.phone();
    await world.signUp(replica, phone);
    const known = await world.code(replica, phone, 'RESET_PASSWORD');
    const unknown = await world.code(replica, world.phone(), 'RESET_PASSWORD');
    for (const given of [{ ...known, code: wrong(known.code) }, { ...unknown, code: wrong(unknown.code) }, unknown]) {
      const refused = credentials.resetPassword({ ...given, password: NEW_PASSWORD }, ADDRESS);
      await expect(refused).rejects.toMatchObject({ reason: 'CODE_INVALID' });
    }
  });
});

describe('phone/change', () => {
  it('moves the account, after a step-up, to the phone that the code went to', async () => {
    const [phone, next] = [world.phone(), world.phone()];
    const caller = callerOf(await world.signUp(replica, phone));
    const code = await world.code(replica, next, 'CHANGE_PHONE');
    await expect(credentials.changePhone(caller, code)).rejects.toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    await credentials.changePhone(caller, { ...code, stepUp: { password: PASSWORD } });
    expect((await signIn(next, PASSWORD)).userId).toBe(caller.id);
    await expect(signIn(phone, PASSWORD)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    expect(await replica.get(AccountDirectoryService).findProfile(caller.id)).toMatchObject(next);
  });

  it('refuses a phone that has an account, and leaves both as they are', async () => {
    const [phone, taken] = [world.phone(), world.phone()];
    const caller = callerOf(await world.signUp(replica, phone));
    const owner = await world.signUp(replica, taken);
    const code = await world.code(replica, taken, 'CHANGE_PHONE');
    const refused = credentials.changePhone(caller, { ...code, stepUp: { password: PASSWORD } });
    await expect(refused).rejects.toMatchObject({ reason: 'ACCOUNT_EXISTS' });
    expect((await signIn(taken, PASSWORD)).userId).toBe(owner.userId);
    expect((await signIn(phone, PASSWORD)).userId).toBe(caller.id);
  });
});

describe('profile', () => {
  it('changes what is given, keeps what is absent, and tells the other contexts', async () => {
    const phone = world.phone();
    const caller = callerOf(await world.signUp(replica, phone));
    const profiles = replica.get(ProfileService);
    await profiles.update(caller, { nickname: 'Anna', avatar: 'media/1' });
    await profiles.update(caller, { timeZone: 'Europe/Berlin', avatar: null });
    expect(await profiles.get(caller)).toEqual({
      ...phone,
      userId: caller.id,
      nickname: 'Anna',
      avatar: null,
      timeZone: 'Europe/Berlin',
      hasPassword: true,
      createdAt: expect.any(Number),
    });
    expect(await replica.get(AccountDirectoryService).findProfile(caller.id)).toEqual({
      ...phone,
      userId: caller.id,
      nickname: 'Anna',
      timeZone: 'Europe/Berlin',
    });
    const events = await world.query(
      `SELECT 1 FROM userctx.outbox WHERE name = 'userctx.profile.changed' AND key = $1`,
      [`user:${caller.id}`],
    );
    expect(events).toHaveLength(2);
  });

  it('knows nobody by an unknown id', async () => {
    expect(await replica.get(AccountDirectoryService).findProfile(crypto.randomUUID())).toBeNull();
  });
});
