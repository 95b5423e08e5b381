import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopbackAddress } from '@family-watch/testing/clients/loopback-address';
import { countInRun } from '@family-watch/testing/reporting/run-counters';

/**
 * Reasons of responses after which a client repeats the request, as the API documents it, and the maximum number of
 * attempts. On a busy machine, events may be late, so that the family cloud cannot decide about a caller who is no member.
 */
const MAX_ATTEMPTS = { REVOCATIONS_STALE: 5, CLOUD_NOT_READY: 15 };
/** Maximum number of attempts of {@link repeatWhileUnavailable}. */
const MAX_ATTEMPTS_WHILE_UNAVAILABLE = 10;

/** A response of the service. */
export interface ServiceResponse<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed JSON; undefined when the body is empty or not JSON. */
  body: Body;
}

export type ApiSurface = 'plain' | 'wrapped';
type Query = Record<string, string | number>;

export const PATH_PREFIX = { plain: '/apis/v2/', wrapped: '/hmd-wx/api/v2/' } as const;
export const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud/';
const USER_PATH = 'userctx/user/';

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends requests with or without a token, each client from its own IP address. */
export class HttpClient {
  constructor(
    readonly url: string,
    public token?: string,
    private readonly surface: ApiSurface = 'plain',
    readonly address: string | undefined = loopbackAddress(),
  ) {}

  /** A client of the same caller that uses the path prefix whose responses have an envelope. */
  get wrapped(): HttpClient {
    return new HttpClient(this.url, this.token, 'wrapped', this.address);
  }

  /** A client of the same caller that sends its requests to another URL, such as one of several gateways. */
  at(url: string): HttpClient {
    return new HttpClient(url, this.token, this.surface, this.address);
  }

  /** @param path - below `userctx/user/`, or absolute with a leading slash */
  get<Body = Record<string, unknown>>(path: string, query: Query = {}): Promise<ServiceResponse<Body>> {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return this.send('GET', search.size > 0 ? `${path}?${search.toString()}` : path);
  }

  post<Body = Record<string, unknown>>(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<ServiceResponse<Body>> {
    return this.send('POST', path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  async send<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { body, headers = {} }: { body?: string | Buffer; headers?: Record<string, string> } = {},
  ): Promise<ServiceResponse<Body>> {
    const authorization: Record<string, string> = this.token ? { authorization: `Bearer ${this.token}` } : {};
    const target = path.startsWith('/') ? path : `${PATH_PREFIX[this.surface]}${USER_PATH}${path}`;
    const options = { method, headers: { ...authorization, ...headers } };
    return repeatAfterDelay(
      () => this.exchange<Body>(target, options, body),
      ({ text }) => Object.entries(MAX_ATTEMPTS).find(([reason]) => text.includes(`"${reason}"`))?.[1] ?? 1,
    );
  }

  private async exchange<Body>(
    target: string,
    { method, headers }: { method: string; headers: Record<string, string> },
    body: string | Buffer | undefined,
  ): Promise<ServiceResponse<Body>> {
    const sent = request(`${this.url}${target}`, { method, headers, agent, localAddress: this.address });
    if (body !== undefined) sent.setHeader('content-length', Buffer.byteLength(body));
    sent.end(body);
    let response: IncomingMessage;
    try {
      [response] = (await once(sent, 'response')) as [IncomingMessage];
    } catch (error) {
      // A request that reuses an idle connection while the server closes it has not arrived, so it can be repeated.
      if (sent.reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
        return this.exchange(target, { method, headers }, body);
      throw error;
    }
    const text = await textOf(response);
    const list = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return { status: response.statusCode ?? 0, headers: new Headers(list), text, body: parseJson(text) as Body };
  }
}

/**
 * Repeats a request to which the service responds 503 with Retry-After. On a busy machine, concurrent requests wait too
 * long for a database connection. A request that failed after its first transaction repeats this transaction.
 */
export function repeatWhileUnavailable<Body>(
  call: () => Promise<ServiceResponse<Body>>,
): Promise<ServiceResponse<Body>> {
  return repeatAfterDelay(call, ({ status, headers }) =>
    status === 503 && headers.has('retry-after') ? MAX_ATTEMPTS_WHILE_UNAVAILABLE : 1,
  );
}

/** Repeats a request after the delay that the response states, until it has been sent `maxAttempts` times. */
async function repeatAfterDelay<Body>(
  call: () => Promise<ServiceResponse<Body>>,
  maxAttempts: (response: ServiceResponse<Body>) => number,
): Promise<ServiceResponse<Body>> {
  for (let attempt = 1; ; attempt++) {
    const response = await call();
    if (attempt >= maxAttempts(response)) return response;
    countInRun('repetitions');
    await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

/** Returns the data of a successful response. @throws Error with any other response */
export async function expectOk<Body>(answer: Promise<ServiceResponse<Body>>): Promise<Body> {
  const { status, body, text } = await answer;
  if (status !== 200) throw new Error(`Answered ${status}: ${text}`);
  return body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
