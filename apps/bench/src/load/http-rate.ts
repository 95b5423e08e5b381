import autocannon from 'autocannon';

/** Requests that are sent in turn over several connections. */
export interface HttpLoad {
  url: string;
  /** The requests, which differ in their tokens, queries and JSON bodies. A request with a body is sent by POST. */
  requests: readonly { token: string; query?: string; body?: object }[];
}

/** Number of connections of a load. */
const CONNECTIONS = 32;

/**
 * Sends requests at maximum rate.
 *
 * @returns the number of successful requests per second
 * @throws Error when a request fails or its status is not 2xx
 */
export async function measureRate({ url, requests }: HttpLoad, seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: requests.map(({ token, query, body }) => ({
      method: body ? 'POST' : 'GET',
      ...(query !== undefined && { path: `${new URL(url).pathname}?${query}` }),
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} responses were not 2xx, ${result.errors} requests failed`);
  return result['2xx'] / result.duration;
}
