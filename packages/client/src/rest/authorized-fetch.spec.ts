import { describe, expect, it, jest } from '@jest/globals';
import { RefreshingTokenSource } from '../tokens/refreshing-token-source.js';
import { withAuthorization, withNetworkErrors } from './authorized-fetch.js';
import type { Fetch } from './authorized-fetch.js';

const ADDRESS = 'http://service.test/apis/v2/userctx/user/child/create';

/** A service that takes one token only and remembers what it was sent. */
function service(accepted: string) {
  const seen: { authorization: string | null; body: string }[] = [];
  const fetch: Fetch = async (request) => {
    const authorization = request.headers.get('authorization');
    seen.push({ authorization, body: await request.text() });
    return new Response('{}', { status: authorization === `Bearer ${accepted}` ? 200 : 401 });
  };
  return { fetch, seen };
}

function post(): Request {
  return new Request(ADDRESS, { method: 'POST', body: '{"name":"Mia"}' });
}

function tokens(...issued: string[]) {
  const issue = jest.fn(() => Promise.resolve({ accessToken: issued.shift() ?? 'none', expiresIn: 600 }));
  return { issue, source: new RefreshingTokenSource({ issue }) };
}

describe('withAuthorization', () => {
  it('repeats a refused request once, whole, with a new token', async () => {
    const { fetch, seen } = service('new');
    const answer = await withAuthorization(fetch, tokens('old', 'new').source)(post());
    expect(answer.status).toBe(200);
    expect(seen).toEqual([
      { authorization: 'Bearer old', body: '{"name":"Mia"}' },
      { authorization: 'Bearer new', body: '{"name":"Mia"}' },
    ]);
  });

  it('hands on a second refusal', async () => {
    const { fetch, seen } = service('other');
    expect((await withAuthorization(fetch, tokens('old', 'new').source)(post())).status).toBe(401);
    expect(seen).toHaveLength(2);
  });

  it('renews once when many requests are refused together', async () => {
    const { fetch } = service('new');
    const { source, issue } = tokens('old', 'new');
    const send = withAuthorization(fetch, source);
    const answers = await Promise.all([send(post()), send(post()), send(post())]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(issue).toHaveBeenCalledTimes(2);
  });
});

describe('withNetworkErrors', () => {
  it('names the service that nobody answers for', async () => {
    const fetch = withNetworkErrors(() => Promise.reject(new TypeError('fetch failed')));
    await expect(fetch(post())).rejects.toMatchObject({
      name: 'NetworkError',
      message: 'service.test cannot be reached',
    });
  });
});
