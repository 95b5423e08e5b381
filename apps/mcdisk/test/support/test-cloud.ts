import { CloudServer } from './cloud-server.js';
import type { CloudClient } from './cloud-client.js';
import { sampleFamily } from './family.js';
import type { SampleFamily } from './family.js';

/** A family whose cloud exists on a server. */
export interface TestCloud {
  server: CloudServer;
  family: SampleFamily;
  cloudID: string;
  owner: CloudClient;
}

/** Creates a family on the server, by default on the server that the suites share. */
export async function createCloud(on?: CloudServer): Promise<TestCloud> {
  const [server, family] = [on ?? (await CloudServer.getShared()), sampleFamily()];
  await server.publishFamily(family.snapshot);
  return { server, family, cloudID: family.cloudID, owner: await server.as(family.owner) };
}
