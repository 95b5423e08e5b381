import type { FamilyWatchClient } from '../rest/client.js';
import { UserTokenSource } from './user-token-source.js';
import type { SessionTokens, UserTokenSourceOptions } from './user-token-source.js';

/**
 * Returns the token source of a session that a sign-in or sign-up has created.
 *
 * @param client - a client without tokens
 */
export function userSession(
  client: Pick<FamilyWatchClient, 'accounts'>,
  tokens: SessionTokens,
  options: Pick<UserTokenSourceOptions, 'onTokens' | 'onEnded'> = {},
): UserTokenSource {
  const refresh = (refreshToken: string): Promise<SessionTokens> => client.accounts.refreshToken({ refreshToken });
  return new UserTokenSource({ ...options, tokens, refresh });
}
