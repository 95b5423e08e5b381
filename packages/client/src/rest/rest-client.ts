import createClient, { type Client, type Middleware } from 'openapi-fetch';
import { ApiError } from '../api-error.js';
import type { paths } from '../generated/openapi.js';
import type { TokenSource } from '../tokens/token-source.js';
import { withAuthorization, withNetworkErrors, type Fetch } from './authorized-fetch.js';

/** Every operation of the service, by method and path, with the types of the OpenAPI document. */
export type RestClient = Client<paths>;

export interface RestClientOptions {
  /** Base URL of the service, without a path. */
  url: string;
  /** Access tokens of the caller; omitted for public operations. */
  tokens?: TokenSource;
  fetch?: Fetch;
}

const throwApiErrors: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await ApiError.fromResponse(response);
  },
};

/**
 * Creates a client for the REST operations. Each call rejects with `ApiError` if the service returns an error and with
 * `NetworkError` if the service is unreachable. `responseData` returns the body of the resolved response.
 */
export function createRestClient({ url, tokens, fetch = globalThis.fetch }: RestClientOptions): RestClient {
  const unauthorizedFetch = withNetworkErrors(fetch);
  const client = createClient<paths>({
    baseUrl: url,
    fetch: tokens ? withAuthorization(unauthorizedFetch, tokens) : unauthorizedFetch,
  });
  client.use(throwApiErrors);
  return client;
}
