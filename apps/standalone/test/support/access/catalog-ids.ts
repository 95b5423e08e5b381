import { randomUUID } from 'node:crypto';
import { CLOUD, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** Id of a folder in the family cloud. */
export interface CatalogIds {
  catalogID: string;
}

export async function catalogIdsOf({ owner, familyId: cloudID }: FamilyFixture): Promise<CatalogIds> {
  const { data } = await expectOk(
    owner.post<{ data: CatalogIds }>(`${CLOUD}createCloudDoc`, { cloudID, catalogName: 'Holidays' }),
  );
  return { catalogID: data.catalogID };
}

export function unknownCatalogIds(): CatalogIds {
  return { catalogID: randomUUID() };
}
