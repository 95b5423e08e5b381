import type { FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import { CloudServer } from './cloud-server.js';
import type { CloudClient } from './cloud-client.js';
import { createUser, memberSnapshot, sampleFamily, type SampleFamily } from './family.js';

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

/** Adds a member to the family and returns the client of the member. */
export async function addMember(
  { server, family }: Pick<TestCloud, 'server' | 'family'>,
  role: FamilyRole,
  changes: Partial<MemberSnapshot>,
): Promise<CloudClient> {
  const [user, { snapshot }] = [createUser(), family];
  snapshot.version += 1;
  snapshot.members.push(memberSnapshot(user, role, changes));
  await server.publishFamily(snapshot);
  return server.as(user);
}
