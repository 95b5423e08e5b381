import { enrolmentSigningPayload, tokenSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import type { RestClient } from '../rest/rest-client.js';
import { responseData } from '../rest/response-data.js';
import { RefreshingTokenSource } from '../tokens/refreshing-token-source.js';
import type { WatchKey } from './watch-key.js';

/** Data that a watch reports about itself at its enrolment. The service does not verify the IMEI. */
export interface WatchClaims {
  imei: string;
  model: string;
  firmwareVersion: string;
}

/**
 * Registers the watch's public key and returns its `did`. The service always returns the same `did` for the same key.
 */
export async function enrolWatch(api: RestClient, key: WatchKey, claims: WatchClaims): Promise<number> {
  const { publicKey } = key;
  const challenge = await responseData(api.POST('/apis/v2/userctx/watch/enrol/challenge', { body: { publicKey } }));
  const proof = await key.sign(enrolmentSigningPayload(challenge, claims.imei));
  const body = { ...claims, publicKey, nonce: challenge.nonce, proof };
  const { did } = await responseData(api.POST('/apis/v2/userctx/watch/enrol', { body }));
  return did;
}

/**
 * Returns the token source of an enrolled watch. The source obtains each token with a signed challenge and stores
 * nothing.
 */
export function watchTokenSource(api: RestClient, key: WatchKey, did: number): RefreshingTokenSource {
  return new RefreshingTokenSource({
    requestToken: async () => {
      const challenge = await responseData(api.POST('/apis/v2/userctx/watch/token/challenge', { body: { did } }));
      const signature = await key.sign(tokenSigningPayload(challenge, did));
      const body = { did, nonce: challenge.nonce, signature };
      return responseData(api.POST('/apis/v2/userctx/watch/token/create', { body }));
    },
  });
}
