import { describe, expect, jest, test } from '@jest/globals';
import { RefreshingTokenSource, type IssuedToken } from './refreshing-token-source.js';

const TTL_SECONDS = 600;
const TTL_MS = TTL_SECONDS * 1_000;

function createIssuer() {
  let count = 0;
  return jest.fn((): Promise<IssuedToken> => {
    count += 1;
    return Promise.resolve({ accessToken: `token ${count}`, expiresIn: TTL_SECONDS });
  });
}

describe('RefreshingTokenSource', () => {
  test('requests one token for concurrent callers', async () => {
    const issue = createIssuer();
    const tokens = new RefreshingTokenSource({ requestToken: issue });
    const results = await Promise.all(Array.from({ length: 50 }, () => tokens.get()));
    expect(new Set(results.map(({ token }) => token))).toEqual(new Set(['token 1']));
    expect(issue).toHaveBeenCalledTimes(1);
  });

  test('reuses a token while more than a fifth of its TTL remains, then refreshes it', async () => {
    let now = 0;
    const issue = createIssuer();
    const tokens = new RefreshingTokenSource({ requestToken: issue, now: () => now });
    await tokens.get();
    now = TTL_MS * 0.79;
    expect((await tokens.get()).token).toBe('token 1');
    now = TTL_MS * 0.8;
    expect(await tokens.get()).toEqual({ token: 'token 2', ttlMs: TTL_MS, expiresAt: now + TTL_MS });
  });

  test('refreshes a rejected token once when several callers report it as stale', async () => {
    const issue = createIssuer();
    const tokens = new RefreshingTokenSource({
      requestToken: issue,
      initialToken: { accessToken: 'rejected', expiresIn: TTL_SECONDS },
    });
    const [first, second] = await Promise.all([tokens.refresh('rejected'), tokens.refresh('rejected')]);
    const late = await tokens.refresh('rejected');
    expect([first.token, second.token, late.token]).toEqual(['token 1', 'token 1', 'token 1']);
    expect(issue).toHaveBeenCalledTimes(1);
  });

  test('returns the current token while its refresh fails, and rejects once the current token has expired', async () => {
    let now = 0;
    const issue = createIssuer();
    const tokens = new RefreshingTokenSource({ requestToken: issue, now: () => now });
    await tokens.get();
    issue.mockImplementation(() => Promise.reject(new Error('away')));
    now = TTL_MS * 0.9;
    expect((await tokens.get()).token).toBe('token 1');
    now = TTL_MS;
    await expect(tokens.get()).rejects.toThrow('away');
    expect(issue).toHaveBeenCalledTimes(3);
  });

  test('requests a token again at the next call after a failed refresh', async () => {
    const issue = createIssuer();
    issue.mockImplementationOnce(() => Promise.reject(new Error('away')));
    const tokens = new RefreshingTokenSource({ requestToken: issue });
    await expect(tokens.get()).rejects.toThrow('away');
    expect((await tokens.get()).token).toBe('token 1');
  });
});
