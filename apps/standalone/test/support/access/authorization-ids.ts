import { randomUUID } from 'node:crypto';
import { CLOUD, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** A share in a household's cloud. */
export interface AuthorizationIds {
  authorizationID: string;
}

export async function authorizationIdsOf(fixture: FamilyFixture): Promise<AuthorizationIds> {
  const { owner, guardian, familyId: cloudID } = fixture;
  const contentIDList = [await fixture.storeFile('shared.txt')];
  const { data } = await expectOk(
    owner.post<{ data: AuthorizationIds }>(`${CLOUD}authorize`, { cloudID, userId: guardian.userId, contentIDList }),
  );
  return { authorizationID: data.authorizationID };
}

export function authorizationIdsOfNothing(): AuthorizationIds {
  return { authorizationID: randomUUID() };
}
