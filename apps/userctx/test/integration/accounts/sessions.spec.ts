import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { TokensDto } from '@family-watch/domain/accounts/dto/tokens.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AccountsMaintenanceJob } from '../../../src/contexts/accounts/accounts-maintenance.job.js';
import { RevocationRepository } from '../../../src/contexts/accounts/sessions/revocation.repository.js';
import { RevocationService } from '../../../src/contexts/accounts/sessions/revocation.service.js';
import { SessionService } from '../../../src/contexts/accounts/sessions/session.service.js';
import { SignInService } from '../../../src/contexts/accounts/sessions/sign-in.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { AccountsTestEnvironment, ADDRESS, PASSWORD } from '../../support/accounts-test-environment.js';

const DAY_MS = 24 * 60 * 60_000;

let world: AccountsTestEnvironment;
let replica: INestApplicationContext;
let sessions: SessionService;

beforeAll(async () => {
  world = await AccountsTestEnvironment.open();
  replica = await world.replica();
  sessions = replica.get(SessionService);
});

afterEach(() => {
  jest.restoreAllMocks();
  world.publisher.failing = false;
});

afterAll(() => world.close());

function callerOf({ accessToken, userId }: TokensDto): Principal {
  return { type: 'user', id: userId, sessionId: String(decodeJwt(accessToken)['sid']) };
}

async function endingOf({ sessionId }: Principal): Promise<string | null | undefined> {
  const [row] = await world.query<{ ended_by: string | null }>(
    'SELECT ended_by FROM userctx.session WHERE session_id = $1',
    [sessionId],
  );
  return row?.ended_by;
}

function later(milliseconds: number): void {
  const now = Date.now() + milliseconds;
  jest.spyOn(Date, 'now').mockReturnValue(now);
}

const revoked = (sessionId: string) => expect.objectContaining({ scope: { sessionId } });

describe('refreshing', () => {
  it('changes the token for the next one of the same session', async () => {
    const first = await world.signUp(replica);
    const second = await sessions.refresh(first.refreshToken);
    const third = await sessions.refresh(second.refreshToken);
    expect(new Set([first, second, third].map(({ refreshToken }) => refreshToken)).size).toBe(3);
    expect(callerOf(third)).toEqual(callerOf(first));
  });

  it('keeps hashes only', async () => {
    const { refreshToken } = await world.signUp(replica);
    const rows = await world.query<{ row: string }>('SELECT token::text AS row FROM userctx.refresh_token token');
    expect(rows.length).toBeGreaterThan(0);
    const hex = Buffer.from(refreshToken).toString('hex');
    const raw = Buffer.from(refreshToken, 'base64url').toString('hex');
    expect(rows.some(({ row }) => [refreshToken, hex, raw].some((form) => row.includes(form)))).toBe(false);
  });

  it('gives an honest retry within ten seconds the same successor', async () => {
    const { refreshToken } = await world.signUp(replica);
    const first = await sessions.refresh(refreshToken);
    later(9_000);
    const retry = await sessions.refresh(refreshToken);
    expect(retry.refreshToken).toBe(first.refreshToken);
    expect(await endingOf(callerOf(first))).toBeNull();
  });

  it('gives two refreshes at once the same successor', async () => {
    const { refreshToken } = await world.signUp(replica);
    const other = (await world.replica()).get(SessionService);
    const answers = await Promise.all([sessions, other, sessions, other].map((each) => each.refresh(refreshToken)));
    expect(new Set(answers.map((answer) => answer.refreshToken)).size).toBe(1);
    await expect(sessions.refresh(String(answers[0]?.refreshToken))).resolves.toBeDefined();
  });

  it('ends the session when a used token comes again later: for the thief and for the owner', async () => {
    const first = await world.signUp(replica);
    const second = await sessions.refresh(first.refreshToken);
    const caller = callerOf(first);
    later(10_001);
    await expect(sessions.refresh(first.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    expect(await endingOf(caller)).toBe('TOKEN_REUSED');
    expect(world.publisher.published).toContainEqual(revoked(caller.sessionId));
    await expect(sessions.refresh(second.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
  });

  it('leaves the person’s other sessions alone when one was stolen', async () => {
    const phone = world.phone();
    const stolen = await world.signUp(replica, phone);
    const other = await replica.get(SignInService).signIn({ ...phone, password: PASSWORD }, { address: ADDRESS });
    await sessions.refresh(stolen.refreshToken);
    later(10_001);
    await expect(sessions.refresh(stolen.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    await expect(sessions.refresh(other.refreshToken)).resolves.toBeDefined();
  });

  it('refuses unknown tokens, and sessions idle for thirty days', async () => {
    const { refreshToken } = await world.signUp(replica);
    for (const token of ['', 'x', refreshToken.toLowerCase()]) {
      await expect(sessions.refresh(token)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    }
    later(30 * 24 * 60 * 60_000 + 1);
    await expect(sessions.refresh(refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
  });
});

describe('ending sessions', () => {
  it('records a revocation and an event in the same unit, and publishes after it', async () => {
    const tokens = await world.signUp(replica);
    const caller = callerOf(tokens);
    const before = Date.now();
    await sessions.signOut(caller);
    expect(await endingOf(caller)).toBe('SIGNED_OUT');
    expect(world.publisher.published).toContainEqual(revoked(caller.sessionId));
    expect(await replica.get(RevocationRepository).listSince(before)).toContainEqual(revoked(caller.sessionId));
    const events = await world.query<{ payload: object; key: string }>(
      `SELECT key, payload FROM userctx.outbox WHERE name = 'userctx.session.ended' AND key = $1`,
      [`user:${caller.id}`],
    );
    expect(events).toEqual([{ key: `user:${caller.id}`, payload: { userId: caller.id, sessionId: caller.sessionId } }]);
    await expect(sessions.refresh(tokens.refreshToken)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
  });

  it('stands when the feed is away: the table still has the revocation', async () => {
    const caller = callerOf(await world.signUp(replica));
    world.publisher.failing = true;
    const before = Date.now();
    await sessions.signOut(caller);
    expect(world.publisher.published).not.toContainEqual(revoked(caller.sessionId));
    expect(await replica.get(RevocationRepository).listSince(before)).toContainEqual(revoked(caller.sessionId));
  });

  it('records nothing twice', async () => {
    const caller = callerOf(await world.signUp(replica));
    await Promise.all([sessions.signOut(caller), sessions.signOut(caller)]);
    const rows = await world.query('SELECT 1 FROM userctx.revocation WHERE session_id = $1', [caller.sessionId]);
    expect(rows).toHaveLength(1);
  });

  it('answers alike for another person’s session, an unknown one and a text that is none', async () => {
    const [mine, theirs] = [callerOf(await world.signUp(replica)), callerOf(await world.signUp(replica))];
    for (const sessionId of [theirs.sessionId, crypto.randomUUID(), 'nothing']) {
      await expect(sessions.delete(mine, sessionId)).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    }
    expect(await endingOf(theirs)).toBeNull();
    await sessions.delete(mine, mine.sessionId);
    expect(await endingOf(mine)).toBe('DELETED');
  });

  it('forgets revocations when the last token has expired', async () => {
    const caller = callerOf(await world.signUp(replica));
    const before = Date.now();
    await sessions.signOut(caller);
    later(25 * 60_000);
    await replica.get(AccountsMaintenanceJob).run();
    expect(await replica.get(RevocationRepository).listSince(before)).toEqual([]);
  });
});

describe('revocations of principals', () => {
  it('are kept and published when the unit commits, and not otherwise', async () => {
    const revocations = replica.get(RevocationService);
    const unitOfWork = replica.get(UserctxUnitOfWork);
    const before = Date.now();
    const failing = unitOfWork.run(async () => {
      await revocations.record([{ principal: 'watch:1' }]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await unitOfWork.run(() => revocations.record([{ principal: 'watch:2' }], before + 5_000));
    const kept = { id: expect.any(String), scope: { principal: 'watch:2' }, time: before + 5_000 };
    expect(world.publisher.published).toContainEqual(kept);
    const since = await replica.get(RevocationRepository).listSince(before);
    expect(since).toContainEqual(kept);
    for (const list of [since, world.publisher.published]) {
      expect(list).not.toContainEqual(expect.objectContaining({ scope: { principal: 'watch:1' } }));
    }
  });
});

describe('maintenance', () => {
  it('forgets used tokens after a week, sessions after a month, and counters when their window ended', async () => {
    const { refreshToken, accessToken, userId } = await world.signUp(replica);
    const { sessionId } = callerOf({ accessToken, userId } as TokensDto);
    await sessions.refresh(refreshToken);
    const count = async (table: string): Promise<number> => {
      const rows = await world.query(`SELECT 1 FROM userctx.${table} WHERE session_id = $1`, [sessionId]);
      return rows.length;
    };
    const maintenance = replica.get(AccountsMaintenanceJob);
    await maintenance.run();
    expect([await count('refresh_token'), await count('session')]).toEqual([2, 1]);
    later(8 * DAY_MS);
    await maintenance.run();
    expect([await count('refresh_token'), await count('session')]).toEqual([1, 1]);
    expect(await world.query('SELECT 1 FROM userctx.attempt_counter')).toEqual([]);
    jest.restoreAllMocks();
    later(61 * DAY_MS);
    await maintenance.run();
    expect([await count('refresh_token'), await count('session')]).toEqual([0, 0]);
  });
});

describe('listing sessions', () => {
  it('pages through the person’s own standing ones, newest first', async () => {
    const phone = world.phone();
    const first = callerOf(await world.signUp(replica, phone));
    const signIns = replica.get(SignInService);
    const others: Principal[] = [];
    for (let index = 0; index < 3; index += 1) {
      others.push(callerOf(await signIns.signIn({ ...phone, password: PASSWORD }, { address: ADDRESS, client: 'tv' })));
    }
    await sessions.delete(first, String(others[1]?.sessionId));
    const page = await sessions.list(first, { limit: 2 });
    expect(page.items.map(({ sessionId }) => sessionId)).toEqual([others[2]?.sessionId, others[0]?.sessionId]);
    expect(page.items[0]).toMatchObject({ client: 'tv', current: false });
    const rest = await sessions.list(first, { limit: 2, cursor: String(page.nextCursor) });
    expect(rest).toMatchObject({ items: [{ sessionId: first.sessionId, current: true }], nextCursor: null });
  });

  it('refuses a cursor that is none of ours', async () => {
    const caller = callerOf(await world.signUp(replica));
    await expect(sessions.list(caller, { cursor: 'x' })).rejects.toMatchObject({ reason: 'VALIDATION_FAILED' });
  });
});
