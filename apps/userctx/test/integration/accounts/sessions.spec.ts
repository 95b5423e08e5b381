import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { TokensDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AttemptLimiterService } from '../../../src/accounts/attempts/attempt-limiter.service.js';
import { RevocationRepository } from '../../../src/accounts/sessions/revocation.repository.js';
import { RevocationService } from '../../../src/accounts/sessions/revocation.service.js';
import { SessionRepository } from '../../../src/accounts/sessions/session.repository.js';
import { SessionService, type IssuedTokens } from '../../../src/accounts/sessions/session.service.js';
import { SignInService } from '../../../src/accounts/sessions/sign-in.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { AccountsTestEnvironment, IP_ADDRESS, PASSWORD } from '../../support/accounts-test-environment.js';

const DAY_MS = 24 * 60 * 60_000;

let environment: AccountsTestEnvironment;
let replica: INestApplicationContext;
let sessions: SessionService;

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open();
  replica = await environment.replica();
  sessions = replica.get(SessionService);
});

afterEach(() => {
  jest.restoreAllMocks();
  environment.publisher.isFailing = false;
});

afterAll(() => environment.close());

function callerOf({ accessToken, userId }: TokensDto): Principal {
  return { type: 'user', id: userId, sessionId: String(decodeJwt(accessToken)['sid']) };
}

async function endReasonOf({ sessionId }: Principal): Promise<string | null | undefined> {
  const [row] = await environment.query<{ ended_by: string | null }>(
    'SELECT ended_by FROM userctx.session WHERE session_id = $1',
    [sessionId],
  );
  return row?.ended_by;
}

function advanceClock(milliseconds: number): void {
  const now = Date.now() + milliseconds;
  jest.spyOn(Date, 'now').mockReturnValue(now);
}

/** Exchanges a refresh token and its successors. @returns the tokens of each response */
async function refreshTimes(tokens: IssuedTokens, times: number, service = sessions): Promise<IssuedTokens[]> {
  const responses: IssuedTokens[] = [];
  for (let { refreshToken } = tokens; responses.length < times;) {
    const response = await service.refresh(refreshToken);
    responses.push(response);
    ({ refreshToken } = response);
  }
  return responses;
}

const revocationOf = (sessionId: string) => expect.objectContaining({ scope: { sessionId } });

describe('SessionService.refresh', () => {
  test('replaces a refresh token with the next one of the same session', async () => {
    const first = await environment.signUp(replica);
    const second = await sessions.refresh(first.refreshToken);
    const third = await sessions.refresh(second.refreshToken);
    expect(new Set([first, second, third].map(({ refreshToken }) => refreshToken)).size).toBe(3);
    expect(callerOf(third)).toEqual(callerOf(first));
  });

  test('stores only hashes of refresh tokens', async () => {
    const { refreshToken } = await environment.signUp(replica);
    const rows = await environment.query<{ row: string }>('SELECT token::text AS row FROM userctx.refresh_token token');
    expect(rows.length).toBeGreaterThan(0);
    const hex = Buffer.from(refreshToken).toString('hex');
    const raw = Buffer.from(refreshToken, 'base64url').toString('hex');
    expect(rows.some(({ row }) => [refreshToken, hex, raw].some((form) => row.includes(form)))).toBe(false);
  });

  test('returns the same successor for a retry within ten seconds', async () => {
    const { refreshToken } = await environment.signUp(replica);
    advanceClock(0);
    const first = await sessions.refresh(refreshToken);
    advanceClock(9_000);
    const retry = await sessions.refresh(refreshToken);
    expect(retry.refreshToken).toBe(first.refreshToken);
    expect(await endReasonOf(callerOf(first))).toBeNull();
  });

  test('returns the newest token for a retry with a token whose successor was used already', async () => {
    const { refreshToken } = await environment.signUp(replica);
    advanceClock(0);
    const first = await sessions.refresh(refreshToken);
    const second = await sessions.refresh(first.refreshToken);
    advanceClock(9_000);
    const retry = await sessions.refresh(refreshToken);
    expect(retry.refreshToken).toBe(second.refreshToken);
    advanceClock(60_000);
    await expect(sessions.refresh(retry.refreshToken)).resolves.toBeDefined();
    expect(await endReasonOf(callerOf(first))).toBeNull();
  });

  test('follows a few successors of a token, then rejects the token without ending the session', async () => {
    const first = await environment.signUp(replica);
    advanceClock(0);
    const [second, ...later] = await refreshTimes(first, 9);
    const newest = later.at(-1);
    expect((await sessions.refresh(String(second?.refreshToken))).refreshToken).toBe(newest?.refreshToken);
    await expect(sessions.refresh(first.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    expect(await endReasonOf(callerOf(first))).toBeNull();
    await expect(sessions.refresh(String(newest?.refreshToken))).resolves.toBeDefined();
  });

  test('limits the refreshes of an account per minute, before the token is locked', async () => {
    const limited = (await environment.replica({ RATE_LIMIT_SIGN_IN: 2 })).get(SessionService);
    const first = await environment.signUp(replica);
    const other = await environment.signUp(replica);
    const [second] = await refreshTimes(first, 2, limited);
    const lock = jest.spyOn(SessionRepository.prototype, 'lockTokenWithSession');
    for (const tokens of [first, second])
      await expect(limited.refresh(String(tokens?.refreshToken))).rejects.toMatchObject({
        details: [{ rule: 'requests.sign-in' }],
      });
    expect(lock).not.toHaveBeenCalled();
    await expect(limited.refresh(other.refreshToken)).resolves.toBeDefined();
  });

  test('returns the same new refresh token for concurrent requests', async () => {
    const { refreshToken } = await environment.signUp(replica);
    const other = (await environment.replica()).get(SessionService);
    const responses = await Promise.all(
      [sessions, other, sessions, other].map((service) => service.refresh(refreshToken)),
    );
    expect(new Set(responses.map((response) => response.refreshToken)).size).toBe(1);
    await expect(sessions.refresh(String(responses[0]?.refreshToken))).resolves.toBeDefined();
  });

  test('ends the session when a used token is sent again after ten seconds, and rejects the successor of the token', async () => {
    const first = await environment.signUp(replica);
    const second = await sessions.refresh(first.refreshToken);
    const caller = callerOf(first);
    advanceClock(10_001);
    await expect(sessions.refresh(first.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    expect(await endReasonOf(caller)).toBe('TOKEN_REUSED');
    expect(environment.publisher.published).toContainEqual(revocationOf(caller.sessionId));
    await expect(sessions.refresh(second.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    const events = await environment.query<{ payload: object }>(
      `SELECT payload FROM userctx.outbox WHERE name = 'userctx.session.token-reused' AND key = $1`,
      [`user:${caller.id}`],
    );
    const { id: userId, sessionId } = caller;
    expect(events).toEqual([{ payload: { userId, sessionId, time: Date.now() } }]);
  });

  test('keeps the person’s other sessions when the reuse of a token ends one session', async () => {
    const phone = environment.uniquePhone();
    const stolen = await environment.signUp(replica, phone);
    const other = await replica.get(SignInService).signIn({ ...phone, password: PASSWORD }, { ip: IP_ADDRESS });
    await sessions.refresh(stolen.refreshToken);
    advanceClock(10_001);
    await expect(sessions.refresh(stolen.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    await expect(sessions.refresh(other.refreshToken)).resolves.toBeDefined();
  });

  test('rejects unknown tokens, and tokens of sessions that were idle for thirty days', async () => {
    const { refreshToken } = await environment.signUp(replica);
    for (const token of ['', 'x', refreshToken.toLowerCase()]) {
      await expect(sessions.refresh(token)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    }
    advanceClock(30 * 24 * 60 * 60_000 + 1);
    await expect(sessions.refresh(refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
  });
});

describe('ending a session', () => {
  test('stores a revocation and an event in the same transaction and publishes the revocation afterwards', async () => {
    const tokens = await environment.signUp(replica);
    const caller = callerOf(tokens);
    const before = Date.now();
    await sessions.signOut(caller);
    expect(await endReasonOf(caller)).toBe('SIGNED_OUT');
    expect(environment.publisher.published).toContainEqual(revocationOf(caller.sessionId));
    expect(await replica.get(RevocationRepository).listSince(before)).toContainEqual(revocationOf(caller.sessionId));
    const events = await environment.query<{ payload: object; key: string }>(
      `SELECT key, payload FROM userctx.outbox WHERE name = 'userctx.session.ended' AND key = $1`,
      [`user:${caller.id}`],
    );
    expect(events).toEqual([{ key: `user:${caller.id}`, payload: { userId: caller.id, sessionId: caller.sessionId } }]);
    await expect(sessions.refresh(tokens.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
  });

  test('succeeds when the publication of the revocation fails, because the revocation is stored in the table', async () => {
    const caller = callerOf(await environment.signUp(replica));
    environment.publisher.isFailing = true;
    const before = Date.now();
    await sessions.signOut(caller);
    expect(environment.publisher.published).not.toContainEqual(revocationOf(caller.sessionId));
    expect(await replica.get(RevocationRepository).listSince(before)).toContainEqual(revocationOf(caller.sessionId));
  });

  test('stores one revocation for concurrent sign-outs', async () => {
    const caller = callerOf(await environment.signUp(replica));
    await Promise.all([sessions.signOut(caller), sessions.signOut(caller)]);
    const rows = await environment.query('SELECT 1 FROM userctx.revocation WHERE session_id = $1', [caller.sessionId]);
    expect(rows).toHaveLength(1);
  });

  test('fails with the same error for another person’s session, an unknown id and a malformed id', async () => {
    const [caller, other] = [callerOf(await environment.signUp(replica)), callerOf(await environment.signUp(replica))];
    for (const sessionId of [other.sessionId, crypto.randomUUID(), 'nothing']) {
      await expect(sessions.delete(caller, sessionId)).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    }
    expect(await endReasonOf(other)).toBeNull();
    await sessions.delete(caller, caller.sessionId);
    expect(await endReasonOf(caller)).toBe('DELETED');
  });

  test('ends all sessions except the caller’s own', async () => {
    const phone = environment.uniquePhone();
    const caller = callerOf(await environment.signUp(replica, phone));
    const stranger = callerOf(await environment.signUp(replica));
    const signIn = async () =>
      callerOf(await replica.get(SignInService).signIn({ ...phone, password: PASSWORD }, { ip: IP_ADDRESS }));
    const others = [await signIn(), await signIn()];
    await sessions.deleteOthers(caller);
    expect(await Promise.all(others.map(endReasonOf))).toEqual(['DELETED', 'DELETED']);
    expect(await Promise.all([caller, stranger].map(endReasonOf))).toEqual([null, null]);
  });

  test('deletes a revocation after the last revoked token has expired', async () => {
    const caller = callerOf(await environment.signUp(replica));
    const before = Date.now();
    await sessions.signOut(caller);
    advanceClock(25 * 60_000);
    await replica.get(RevocationService).deleteOld(Date.now());
    expect(await replica.get(RevocationRepository).listSince(before)).toEqual([]);
  });
});

describe('RevocationService.record', () => {
  test('stores and publishes revocations when the transaction commits, but not when it is rolled back', async () => {
    const revocations = replica.get(RevocationService);
    const unitOfWork = replica.get(UserctxUnitOfWork);
    const before = Date.now();
    const failing = unitOfWork.run(async () => {
      await revocations.record([{ principal: 'watch:1' }]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await unitOfWork.run(() => revocations.record([{ principal: 'watch:2' }], before + 5_000));
    const expected = { id: expect.any(String), scope: { principal: 'watch:2' }, time: before + 5_000 };
    expect(environment.publisher.published).toContainEqual(expected);
    const since = await replica.get(RevocationRepository).listSince(before);
    expect(since).toContainEqual(expected);
    for (const list of [since, environment.publisher.published]) {
      expect(list).not.toContainEqual(expect.objectContaining({ scope: { principal: 'watch:1' } }));
    }
  });
});

describe('the cleanup jobs of accounts', () => {
  const runJobs = async (): Promise<void> => {
    await sessions.deleteUsedTokens(Date.now());
    await sessions.deleteEndedSessions(Date.now());
    await replica.get(AttemptLimiterService).deleteEndedWindows(Date.now());
  };

  test('delete used refresh tokens after a week, expired sessions after a month, and counters of ended windows', async () => {
    const { refreshToken, accessToken, userId } = await environment.signUp(replica);
    const { sessionId } = callerOf({ accessToken, userId } as TokensDto);
    await sessions.refresh(refreshToken);
    const count = async (table: string): Promise<number> => {
      const rows = await environment.query(`SELECT 1 FROM userctx.${table} WHERE session_id = $1`, [sessionId]);
      return rows.length;
    };
    await runJobs();
    expect([await count('refresh_token'), await count('session')]).toEqual([2, 1]);
    advanceClock(8 * DAY_MS);
    await runJobs();
    expect([await count('refresh_token'), await count('session')]).toEqual([1, 1]);
    expect(await environment.query('SELECT 1 FROM userctx.attempt_counter')).toEqual([]);
    jest.restoreAllMocks();
    advanceClock(61 * DAY_MS);
    await runJobs();
    expect([await count('refresh_token'), await count('session')]).toEqual([0, 0]);
  });
});

describe('SessionService.list', () => {
  test('returns the person’s own active sessions in pages, newest first', async () => {
    const phone = environment.uniquePhone();
    const first = callerOf(await environment.signUp(replica, phone));
    const signIns = replica.get(SignInService);
    const others: Principal[] = [];
    for (let index = 0; index < 3; index += 1) {
      others.push(
        callerOf(
          await signIns.signIn(
            { ...phone, password: PASSWORD, deviceName: 'Kitchen' },
            { ip: '203.0.113.77', userAgent: 'FamilyWatch/1.0 (Android 15)' },
          ),
        ),
      );
    }
    await sessions.delete(first, String(others[1]?.sessionId));
    const page = await sessions.list(first, { limit: 2 });
    expect(page.items.map(({ sessionId }) => sessionId)).toEqual([others[2]?.sessionId, others[0]?.sessionId]);
    expect(page.items[0]).toMatchObject({
      client: 'FamilyWatch/1.0 (Android 15)',
      deviceName: 'Kitchen',
      kind: 'PHONE',
      network: '203.0.113.0/24',
      current: false,
    });
    expect(JSON.stringify(page)).not.toContain('203.0.113.77');
    const rest = await sessions.list(first, { limit: 2, cursor: String(page.nextCursor) });
    expect(rest).toMatchObject({ items: [{ sessionId: first.sessionId, current: true }], nextCursor: null });
  });

  test('rejects a malformed cursor', async () => {
    const caller = callerOf(await environment.signUp(replica));
    await expect(sessions.list(caller, { cursor: 'x' })).rejects.toMatchObject({ reason: 'VALIDATION_FAILED' });
  });
});
