import { randomUUID } from 'node:crypto';
import { CLOUD, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** A folder of a household's cloud. */
export interface CatalogIds {
  catalogID: string;
}

export async function catalogIdsOf({ owner, familyId: cloudID }: FamilyFixture): Promise<CatalogIds> {
  const { data } = await expectOk(
    owner.post<{ data: CatalogIds }>(`${CLOUD}createCloudDoc`, { cloudID, catalogName: 'Holidays' }),
  );
  return { catalogID: data.catalogID };
}

export function catalogIdsOfNothing(): CatalogIds {
  return { catalogID: randomUUID() };
}
