import createClient from 'openapi-fetch';
import type { Client, Middleware } from 'openapi-fetch';
import { ApiError } from '../api-error.js';
import type { paths } from '../generated/openapi.js';
import type { TokenSource } from '../tokens/token-source.js';
import { withAuthorization, withNetworkErrors } from './authorized-fetch.js';
import type { Fetch } from './authorized-fetch.js';

/** Every operation of the service, by method and address, with the types of the OpenAPI document. */
export type RestClient = Client<paths>;

export interface RestClientOptions {
  /** Base address of the service, without a path. */
  url: string;
  /** Whose requests these are; absent for the public operations. */
  tokens?: TokenSource;
  fetch?: Fetch;
}

const refusals: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await ApiError.fromResponse(response);
  },
};

/**
 * A client for the REST operations. Every call rejects with an `ApiError` if the service refuses, and with an
 * `NetworkError` if nobody answers; see `responseData` for what it resolves with.
 */
export function createRestClient({ url, tokens, fetch = globalThis.fetch }: RestClientOptions): RestClient {
  const plain = withNetworkErrors(fetch);
  const client = createClient<paths>({ baseUrl: url, fetch: tokens ? withAuthorization(plain, tokens) : plain });
  client.use(refusals);
  return client;
}
