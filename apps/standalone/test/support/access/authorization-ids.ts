import { randomUUID } from 'node:crypto';
import { CLOUD_PATH, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** Id of a share in the family cloud. */
export interface AuthorizationIds {
  authorizationID: string;
}

export async function authorizationIdsOf(family: FamilyFixture): Promise<AuthorizationIds> {
  const { owner, guardian, familyId: cloudID } = family;
  const contentIDList = [await family.storeFile('shared.txt')];
  const { data } = await expectOk(
    owner.post<{ data: AuthorizationIds }>(`${CLOUD_PATH}authorize`, {
      cloudID,
      userId: guardian.userId,
      contentIDList,
    }),
  );
  return { authorizationID: data.authorizationID };
}

export function unknownAuthorizationIds(): AuthorizationIds {
  return { authorizationID: randomUUID() };
}
