import { describe, expect, jest, test } from '@jest/globals';
import type { FamilyWatchClient } from '../rest/client.js';
import type { Schema } from '../rest/schemas.js';
import { restoreUserSession, userSession } from './user-session.js';

type RefreshOperation = FamilyWatchClient['accounts']['refreshToken'];

/** The service, for a browser whose cookie belongs to `cookieOwner`. */
function createService(cookieOwner: string) {
  const refreshToken = jest.fn<RefreshOperation>(async (request) => ({
    accessToken: `access of ${cookieOwner}`,
    ...(request?.refreshTokenCookie ? {} : { refreshToken: 'next' }),
    deviceToken: 'device',
    tokenType: 'Bearer',
    expiresIn: 600,
    userId: cookieOwner,
  }));
  return { refreshToken, client: { accounts: { refreshToken } } as unknown as FamilyWatchClient };
}

const tokensOf = (userId: string): Schema<'TokensDto'> => ({
  accessToken: 'first',
  deviceToken: 'device',
  tokenType: 'Bearer',
  expiresIn: 600,
  userId,
});

describe('userSession', () => {
  test('refreshes by the cookie if the tokens contain no refresh token', async () => {
    const { client, refreshToken } = createService('anna');
    const tokens = userSession(client, tokensOf('anna'));
    expect((await tokens.get()).token).toBe('first');
    expect((await tokens.refresh('first')).token).toBe('access of anna');
    expect((await tokens.refresh('access of anna')).token).toBe('access of anna');
    expect(refreshToken.mock.calls).toEqual([[{ refreshTokenCookie: true }], [{ refreshTokenCookie: true }]]);
  });

  test('sends the refresh token if the tokens contain one', async () => {
    const { client, refreshToken } = createService('anna');
    const tokens = userSession(client, { ...tokensOf('anna'), refreshToken: 'own' });
    await tokens.refresh('first');
    expect(refreshToken.mock.calls).toEqual([[{ refreshToken: 'own' }]]);
  });

  test('ends the session when another person has signed in in the browser', async () => {
    const { client } = createService('ben');
    const onEnded = jest.fn();
    const tokens = userSession(client, tokensOf('anna'), { onEnded });
    await expect(tokens.refresh('first')).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' });
    expect(onEnded).toHaveBeenCalledTimes(1);
  });
});

describe('restoreUserSession', () => {
  test('refreshes one after another in all tabs, which share a cookie', async () => {
    const { client, refreshToken } = createService('anna');
    let running = 0;
    const seen: number[] = [];
    const refresh = refreshToken.getMockImplementation();
    refreshToken.mockImplementation(async (request) => {
      seen.push((running += 1));
      await Promise.resolve();
      running -= 1;
      return refresh!(request);
    });
    await Promise.all([restoreUserSession(client), restoreUserSession(client), restoreUserSession(client)]);
    expect(seen).toEqual([1, 1, 1]);
  });
});
