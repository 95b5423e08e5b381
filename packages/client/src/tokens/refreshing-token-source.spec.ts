import { describe, expect, it, jest } from '@jest/globals';
import { RefreshingTokenSource } from './refreshing-token-source.js';
import type { IssuedToken } from './refreshing-token-source.js';

const LIFETIME_S = 600;
const LIFETIME = LIFETIME_S * 1_000;

function issuer() {
  let count = 0;
  return jest.fn((): Promise<IssuedToken> => {
    count += 1;
    return Promise.resolve({ accessToken: `token ${count}`, expiresIn: LIFETIME_S });
  });
}

describe('RefreshingTokenSource', () => {
  it('issues one token for all who ask at the same time', async () => {
    const issue = issuer();
    const tokens = new RefreshingTokenSource({ issue });
    const asked = await Promise.all(Array.from({ length: 50 }, () => tokens.get()));
    expect(new Set(asked.map(({ token }) => token))).toEqual(new Set(['token 1']));
    expect(issue).toHaveBeenCalledTimes(1);
  });

  it('keeps a token while more than a fifth of its life is left, and renews it then', async () => {
    let now = 0;
    const issue = issuer();
    const tokens = new RefreshingTokenSource({ issue, now: () => now });
    await tokens.get();
    now = LIFETIME * 0.79;
    expect((await tokens.get()).token).toBe('token 1');
    now = LIFETIME * 0.8;
    expect(await tokens.get()).toEqual({ token: 'token 2', lifetime: LIFETIME, expiresAt: now + LIFETIME });
  });

  it('renews a refused token once for all who were refused', async () => {
    const issue = issuer();
    const tokens = new RefreshingTokenSource({ issue, initial: { accessToken: 'refused', expiresIn: LIFETIME_S } });
    const [one, other] = await Promise.all([tokens.refresh('refused'), tokens.refresh('refused')]);
    const late = await tokens.refresh('refused');
    expect([one.token, other.token, late.token]).toEqual(['token 1', 'token 1', 'token 1']);
    expect(issue).toHaveBeenCalledTimes(1);
  });

  it('goes on with the old token while a renewal ahead of its end fails, and says so at its end', async () => {
    let now = 0;
    const issue = issuer();
    const tokens = new RefreshingTokenSource({ issue, now: () => now });
    await tokens.get();
    issue.mockImplementation(() => Promise.reject(new Error('away')));
    now = LIFETIME * 0.9;
    expect((await tokens.get()).token).toBe('token 1');
    now = LIFETIME;
    await expect(tokens.get()).rejects.toThrow('away');
    expect(issue).toHaveBeenCalledTimes(3);
  });

  it('tries again after a renewal that failed', async () => {
    const issue = issuer();
    issue.mockImplementationOnce(() => Promise.reject(new Error('away')));
    const tokens = new RefreshingTokenSource({ issue });
    await expect(tokens.get()).rejects.toThrow('away');
    expect((await tokens.get()).token).toBe('token 1');
  });
});
