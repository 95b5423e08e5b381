import { enrolmentSigningPayload, tokenSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import type { FamilyWatchClient } from '../rest/client.js';
import { RefreshingTokenSource } from '../tokens/refreshing-token-source.js';
import type { WatchKey } from './watch-key.js';

/** Data that a watch reports about itself at its enrolment. The service does not verify the IMEI. */
export interface WatchClaims {
  imei: string;
  model: string;
  firmwareVersion: string;
}

/**
 * Registers the watch's public key and returns its `did`. The same key has the same `did` until the service deletes the
 * watch because it is not bound.
 */
export async function enrolWatch(
  client: Pick<FamilyWatchClient, 'watch'>,
  key: WatchKey,
  claims: WatchClaims,
): Promise<number> {
  const { publicKey } = key;
  const challenge = await client.watch.challengeEnrolment({ publicKey });
  const proof = await key.sign(enrolmentSigningPayload(challenge, claims.imei));
  const { did } = await client.watch.enrol({ ...claims, publicKey, nonce: challenge.nonce, proof });
  return did;
}

/**
 * Returns the token source of an enrolled watch. The source obtains each token with a signed challenge and stores
 * nothing.
 */
export function watchTokenSource(
  client: Pick<FamilyWatchClient, 'watch'>,
  key: WatchKey,
  did: number,
): RefreshingTokenSource {
  return new RefreshingTokenSource({
    requestToken: async () => {
      const challenge = await client.watch.challengeToken({ did });
      const signature = await key.sign(tokenSigningPayload(challenge, did));
      return client.watch.createToken({ did, nonce: challenge.nonce, signature });
    },
  });
}
