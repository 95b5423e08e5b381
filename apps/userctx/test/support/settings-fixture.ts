import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { TokenSigner } from '../../src/contexts/accounts/keys/token-signer.js';
import { ApiClient } from './api-client.js';
import { createBoundFamily } from './bound-family-fixture.js';
import type { BoundFamilyFixture } from './bound-family-fixture.js';
import type { WatchesTestEnvironment } from './watches-test-environment.js';

/** A bound family whose owner and watch have HTTP clients. */
export interface SettingsFixture extends BoundFamilyFixture {
  did: number;
  parent: ApiClient;
  device: ApiClient;
}

export async function createSettingsFixture(
  environment: WatchesTestEnvironment,
  replica: INestApplicationContext,
  url: string,
): Promise<SettingsFixture> {
  const family = await createBoundFamily(environment, replica);
  const [parent, device] = [
    await createClient(replica, url, family.owner),
    await createClient(replica, url, family.watch.principal),
  ];
  return { ...family, did: family.watch.did, parent, device };
}

/** Creates an HTTP client with a token for the principal. */
async function createClient(replica: INestApplicationContext, url: string, principal: Principal): Promise<ApiClient> {
  const { accessToken } = await replica.get(TokenSigner).signAccessToken(principal);
  return new ApiClient(url, principal.id, '', accessToken);
}
