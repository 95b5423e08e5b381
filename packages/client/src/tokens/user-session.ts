import type { RestClient } from '../rest/rest-client.js';
import { responseData } from '../rest/response-data.js';
import { UserTokenSource } from './user-token-source.js';
import type { SessionTokens, UserTokenSourceOptions } from './user-token-source.js';

/**
 * Returns the token source of a session that a sign-in or sign-up has created.
 *
 * @param api - a client without tokens
 */
export function userSession(
  api: RestClient,
  tokens: SessionTokens,
  options: Pick<UserTokenSourceOptions, 'onTokens' | 'onEnded'> = {},
): UserTokenSource {
  const refresh = (refreshToken: string): Promise<SessionTokens> =>
    responseData(api.POST('/apis/v2/userctx/user/account/token/refresh', { body: { refreshToken } }));
  return new UserTokenSource({ ...options, tokens, refresh });
}
