import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AccessTokenSigner } from '../../src/contexts/accounts/keys/access-token-signer.js';
import { settleHome } from './bound-home.js';
import type { BoundHome } from './bound-home.js';
import { Person } from './person.js';
import type { WatchesWorld } from './watches-world.js';

/** A home whose owner and watch speak HTTP. */
export interface SettingsHome extends BoundHome {
  did: number;
  parent: Person;
  device: Person;
}

export async function settleOverHttp(
  world: WatchesWorld,
  replica: INestApplicationContext,
  url: string,
): Promise<SettingsHome> {
  const home = await settleHome(world, replica);
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
