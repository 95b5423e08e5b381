import { describe, expect, jest, test } from '@jest/globals';
import { ApiError, NetworkError } from '../api-error.js';
import { UserTokenSource, type SessionTokens, type UserTokenSourceOptions } from './user-token-source.js';

const FIRST_TOKENS: SessionTokens = { accessToken: 'access 0', refreshToken: 'refresh 0', expiresIn: 600 };
const TOKEN_REUSED_ERROR = new ApiError({
  status: 401,
  code: 401005,
  reason: 'REFRESH_TOKEN_INVALID',
  message: 'used',
});

/** Creates the refresh operation of a service that accepts each refresh token once. */
function createService() {
  let count = 0;
  return jest.fn((refreshToken?: string): Promise<SessionTokens> => {
    if (refreshToken !== `refresh ${count}`) return Promise.reject(TOKEN_REUSED_ERROR);
    count += 1;
    return Promise.resolve({ accessToken: `access ${count}`, refreshToken: `refresh ${count}`, expiresIn: 600 });
  });
}

function createSession(options: Partial<UserTokenSourceOptions> = {}) {
  const refresh = createService();
  return { refresh, tokens: new UserTokenSource({ tokens: FIRST_TOKENS, refresh, ...options }) };
}

describe('UserTokenSource', () => {
  test('uses each refresh token once under concurrent calls', async () => {
    const { tokens, refresh } = createSession();
    for (let round = 0; round < 3; round += 1) {
      const { token } = await tokens.get();
      await Promise.all(Array.from({ length: 10 }, () => tokens.refresh(token)));
    }
    expect(refresh.mock.calls).toEqual([['refresh 0'], ['refresh 1'], ['refresh 2']]);
    expect((await tokens.get()).token).toBe('access 3');
  });

  test('passes new tokens to onTokens before they are used', async () => {
    const stored: string[] = [];
    const { tokens } = createSession({
      onTokens: async ({ refreshToken }) => {
        await Promise.resolve();
        stored.push(refreshToken ?? '');
      },
    });
    await tokens.refresh('access 0');
    expect(stored).toEqual(['refresh 1']);
  });

  test('retries immediately with the same refresh token when the response was lost', async () => {
    const { tokens, refresh } = createSession();
    refresh.mockImplementationOnce(() => Promise.reject(new NetworkError('lost')));
    expect((await tokens.refresh('access 0')).token).toBe('access 1');
    expect(refresh.mock.calls).toEqual([['refresh 0'], ['refresh 0']]);
  });

  test('calls onEnded once and sends no further requests when the refresh token is rejected', async () => {
    const onEnded = jest.fn();
    const { tokens, refresh } = createSession({ tokens: { ...FIRST_TOKENS, refreshToken: 'stolen' }, onEnded });
    await expect(tokens.refresh('access 0')).rejects.toBe(TOKEN_REUSED_ERROR);
    await expect(tokens.refresh('access 0')).rejects.toBe(TOKEN_REUSED_ERROR);
    expect(onEnded.mock.calls).toEqual([[TOKEN_REUSED_ERROR]]);
    expect(refresh).toHaveBeenCalledTimes(1);
  });
});
