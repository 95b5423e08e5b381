import { randomUUID } from 'node:crypto';
import { CLOUD_PATH, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** Id of a folder in the family cloud. */
export interface FolderIds {
  catalogID: string;
}

export async function createFolderIds({ owner, familyId: cloudID }: FamilyFixture): Promise<FolderIds> {
  const { data } = await expectOk(
    owner.post<{ data: FolderIds }>(`${CLOUD_PATH}createCloudDoc`, { cloudID, catalogName: 'Holidays' }),
  );
  return { catalogID: data.catalogID };
}

export function unknownFolderIds(): FolderIds {
  return { catalogID: randomUUID() };
}
