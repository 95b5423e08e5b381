import { ApiError } from '../api-error.js';
import type { FamilyWatchClient } from '../rest/client.js';
import type { Schema } from '../rest/schemas.js';
import { UserTokenSource, type SessionTokens, type UserTokenSourceOptions } from './user-token-source.js';

type AccountsClient = Pick<FamilyWatchClient, 'accounts'>;

/**
 * Returns the token source of a session that a sign-in or sign-up has created. If the response contains no refresh token
 * (`refreshTokenCookie`), the cookie of the browser contains it.
 *
 * @param client - a client without tokens
 */
export function userSession(
  client: AccountsClient,
  tokens: SessionTokens & { userId?: string },
  options: Pick<UserTokenSourceOptions, 'onTokens' | 'onEnded'> = {},
): UserTokenSource {
  const refresh = (refreshToken?: string): Promise<SessionTokens> =>
    refreshToken === undefined
      ? refreshByCookie(client, tokens.userId)
      : client.accounts.refreshToken({ refreshToken });
  return new UserTokenSource({ ...options, tokens, refresh });
}

/**
 * Returns new tokens of the session whose refresh token is in the cookie of the browser: after a reload of a web page
 * that signed in with `refreshTokenCookie`. Pass them to `userSession`.
 *
 * @param client - a client without tokens
 * @throws ApiError REFRESH_TOKEN_INVALID when there is no cookie or its session has ended
 */
export async function restoreUserSession(client: AccountsClient): Promise<Schema<'TokensDto'>> {
  return withRefreshLock(() => client.accounts.refreshToken({ refreshTokenCookie: true }));
}

/** @throws ApiError REFRESH_TOKEN_INVALID also when the cookie belongs to another person */
async function refreshByCookie(client: AccountsClient, userId: string | undefined): Promise<SessionTokens> {
  const tokens = await restoreUserSession(client);
  if (userId === undefined || tokens.userId === userId) return tokens;
  // Another tab has signed in another person. This tab must not show the data of one person with the rights of another.
  const message = 'Another person has signed in in this browser.';
  throw new ApiError({ status: 401, code: 401005, reason: 'REFRESH_TOKEN_INVALID', message });
}

/** The part of the Web Locks API that is used here. */
interface LockManager {
  request<Result>(name: string, callback: () => Promise<Result>): Promise<Result>;
}

/**
 * Runs the refreshes of all tabs of an origin one after another, because they share the cookie. A late response would
 * otherwise replace a newer token by a used one. Browsers offer locks only to pages of HTTPS and of this machine.
 */
function withRefreshLock<Result>(refresh: () => Promise<Result>): Promise<Result> {
  const { navigator } = globalThis as { navigator?: { locks?: LockManager } };
  return navigator?.locks ? navigator.locks.request('family-watch-refresh-token', refresh) : refresh();
}
