import { describe, expect, it, jest } from '@jest/globals';
import { ApiError, NetworkError } from '../api-error.js';
import { UserTokenSource } from './user-token-source.js';
import type { SessionTokens, UserTokenSourceOptions } from './user-token-source.js';

const FIRST: SessionTokens = { accessToken: 'access 0', refreshToken: 'refresh 0', expiresIn: 600 };
const USED_TWICE = new ApiError({ status: 401, code: 401005, reason: 'REFRESH_TOKEN_INVALID', message: 'used' });

/** A service that takes each refresh token once. */
function service() {
  let count = 0;
  return jest.fn((refreshToken: string): Promise<SessionTokens> => {
    if (refreshToken !== `refresh ${count}`) return Promise.reject(USED_TWICE);
    count += 1;
    return Promise.resolve({ accessToken: `access ${count}`, refreshToken: `refresh ${count}`, expiresIn: 600 });
  });
}

function session(options: Partial<UserTokenSourceOptions> = {}) {
  const refresh = service();
  return { refresh, tokens: new UserTokenSource({ tokens: FIRST, refresh, ...options }) };
}

describe('UserTokenSource', () => {
  it('uses each refresh token once, however many ask', async () => {
    const { tokens, refresh } = session();
    for (let round = 0; round < 3; round += 1) {
      const { token } = await tokens.get();
      await Promise.all(Array.from({ length: 10 }, () => tokens.refresh(token)));
    }
    expect(refresh.mock.calls).toEqual([['refresh 0'], ['refresh 1'], ['refresh 2']]);
    expect((await tokens.get()).token).toBe('access 3');
  });

  it('hands over new tokens before they are used', async () => {
    const kept: string[] = [];
    const { tokens } = session({
      onTokens: async ({ refreshToken }) => {
        await Promise.resolve();
        kept.push(refreshToken);
      },
    });
    await tokens.refresh('access 0');
    expect(kept).toEqual(['refresh 1']);
  });

  it('asks again at once with the same token when the answer was lost', async () => {
    const { tokens, refresh } = session();
    refresh.mockImplementationOnce(() => Promise.reject(new NetworkError('lost')));
    expect((await tokens.refresh('access 0')).token).toBe('access 1');
    expect(refresh.mock.calls).toEqual([['refresh 0'], ['refresh 0']]);
  });

  it('is over when the refresh token is refused, says so once, and asks no more', async () => {
    const onEnded = jest.fn();
    const { tokens, refresh } = session({ tokens: { ...FIRST, refreshToken: 'stolen' }, onEnded });
    await expect(tokens.refresh('access 0')).rejects.toBe(USED_TWICE);
    await expect(tokens.refresh('access 0')).rejects.toBe(USED_TWICE);
    expect(onEnded.mock.calls).toEqual([[USED_TWICE]]);
    expect(refresh).toHaveBeenCalledTimes(1);
  });
});
