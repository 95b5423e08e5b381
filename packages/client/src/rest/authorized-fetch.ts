import { NetworkError } from '../api-error.js';
import type { TokenSource } from '../tokens/token-source.js';

/** `fetch` as the REST client calls it. */
export type Fetch = (request: Request) => Promise<Response>;

/** @throws NetworkError where `fetch` itself fails. */
export function withNetworkErrors(fetch: Fetch): Fetch {
  return async (request) => {
    try {
      return await fetch(request);
    } catch (cause) {
      throw new NetworkError(`${new URL(request.url).host} cannot be reached`, { cause });
    }
  };
}

/** Shows the token of `tokens`; one that is refused with 401 is renewed and the request repeated, once. */
export function withAuthorization(fetch: Fetch, tokens: TokenSource): Fetch {
  return async (request) => {
    const { token } = await tokens.get();
    const answer = await fetch(withBearer(request.clone(), token));
    if (answer.status !== 401) return answer;
    const renewed = await tokens.refresh(token);
    return fetch(withBearer(request, renewed.token));
  };
}

function withBearer(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}
