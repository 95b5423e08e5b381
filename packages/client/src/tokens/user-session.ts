import type { RestClient } from '../rest/rest-client.js';
import { dataOf } from '../rest/result.js';
import { UserTokens } from './user-tokens.js';
import type { Tokens, UserTokensOptions } from './user-tokens.js';

/** Keeps the session that a sign-in or sign-up began; `api` is a client without tokens. */
export function userSession(
  api: RestClient,
  tokens: Tokens,
  options: Pick<UserTokensOptions, 'onTokens' | 'onEnded'> = {},
): UserTokens {
  const refresh = (refreshToken: string): Promise<Tokens> =>
    dataOf(api.POST('/apis/v2/userctx/user/account/token/refresh', { body: { refreshToken } }));
  return new UserTokens({ ...options, tokens, refresh });
}
