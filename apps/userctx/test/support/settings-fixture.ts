import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AccessTokenSigner } from '../../src/contexts/accounts/keys/access-token-signer.js';
import { createBoundFamily } from './bound-family-fixture.js';
import type { BoundFamilyFixture } from './bound-family-fixture.js';
import { Person } from './person.js';
import type { WatchesTestEnvironment } from './watches-test-environment.js';

/** A home whose owner and watch speak HTTP. */
export interface SettingsFixture extends BoundFamilyFixture {
  did: number;
  parent: Person;
  device: Person;
}

export async function createSettingsFixture(
  world: WatchesTestEnvironment,
  replica: INestApplicationContext,
  url: string,
): Promise<SettingsFixture> {
  const home = await createBoundFamily(world, replica);
  const [parent, device] = [
    await clientOf(replica, url, home.owner),
    await clientOf(replica, url, home.watch.principal),
  ];
  return { ...home, did: home.watch.did, parent, device };
}

/** The same principal with a token. */
async function clientOf(replica: INestApplicationContext, url: string, principal: Principal): Promise<Person> {
  const { accessToken } = await replica.get(AccessTokenSigner).sign(principal);
  return new Person(url, principal.id, '', accessToken);
}
