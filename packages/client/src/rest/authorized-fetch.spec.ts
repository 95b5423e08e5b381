import { describe, expect, jest, test } from '@jest/globals';
import { RefreshingTokenSource } from '../tokens/refreshing-token-source.js';
import { withAuthorization, withNetworkErrors, type Fetch } from './authorized-fetch.js';

const OPERATION_URL = 'http://service.test/apis/v2/userctx/user/child/create';

/** Creates a service that accepts only one token and records the requests that it receives. */
function createService(acceptedToken: string) {
  const requests: { authorization: string | null; body: string }[] = [];
  const fetch: Fetch = async (request) => {
    const authorization = request.headers.get('authorization');
    requests.push({ authorization, body: await request.text() });
    return new Response('{}', { status: authorization === `Bearer ${acceptedToken}` ? 200 : 401 });
  };
  return { fetch, requests };
}

function createPostRequest(): Request {
  return new Request(OPERATION_URL, { method: 'POST', body: '{"name":"Mia"}' });
}

/** Creates a token source that obtains these tokens one after the other. */
function createTokens(...issued: string[]) {
  const requestToken = jest.fn(() => Promise.resolve({ accessToken: issued.shift() ?? 'none', expiresIn: 600 }));
  return { requestToken, source: new RefreshingTokenSource({ requestToken }) };
}

describe('withAuthorization', () => {
  test('retries a request once, with its body and a new token, after a 401 response', async () => {
    const { fetch, requests } = createService('new');
    const response = await withAuthorization(fetch, createTokens('old', 'new').source)(createPostRequest());
    expect(response.status).toBe(200);
    expect(requests).toEqual([
      { authorization: 'Bearer old', body: '{"name":"Mia"}' },
      { authorization: 'Bearer new', body: '{"name":"Mia"}' },
    ]);
  });

  test('returns the 401 response of the retried request to the caller', async () => {
    const { fetch, requests } = createService('other');
    expect((await withAuthorization(fetch, createTokens('old', 'new').source)(createPostRequest())).status).toBe(401);
    expect(requests).toHaveLength(2);
  });

  test('refreshes the token once when several requests get 401 concurrently', async () => {
    const { fetch } = createService('new');
    const { source, requestToken } = createTokens('old', 'new');
    const send = withAuthorization(fetch, source);
    const responses = await Promise.all([
      send(createPostRequest()),
      send(createPostRequest()),
      send(createPostRequest()),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(requestToken).toHaveBeenCalledTimes(2);
  });
});

describe('withNetworkErrors', () => {
  test('throws a NetworkError that names the unreachable host', async () => {
    const fetch = withNetworkErrors(() => Promise.reject(new TypeError('fetch failed')));
    await expect(fetch(createPostRequest())).rejects.toMatchObject({
      name: 'NetworkError',
      message: 'service.test cannot be reached',
    });
  });
});
