import { NetworkError } from '../api-error.js';
import type { TokenSource } from '../tokens/token-source.js';

/** The form of `fetch` that the REST client uses. */
export type Fetch = (request: Request) => Promise<Response>;

/** Returns a function that throws a `NetworkError` if `fetch` fails. */
export function withNetworkErrors(fetch: Fetch): Fetch {
  return async (request) => {
    try {
      return await fetch(request);
    } catch (cause) {
      throw new NetworkError(`${new URL(request.url).host} cannot be reached`, { cause });
    }
  };
}

/**
 * Returns a function that adds the access token to requests. After a 401 response the function refreshes the token and
 * retries the request once.
 */
export function withAuthorization(fetch: Fetch, tokens: TokenSource): Fetch {
  return async (request) => {
    const { token } = await tokens.get();
    const response = await fetch(withBearerToken(request.clone(), token));
    if (response.status !== 401) return response;
    const refreshed = await tokens.refresh(token);
    return fetch(withBearerToken(request, refreshed.token));
  };
}

function withBearerToken(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}
