import { randomUUID } from 'node:crypto';
import { CLOUD, expectOk } from '../http-client.js';
import type { Household } from '../household.js';

/** A folder of a household's cloud. */
export interface CatalogIds {
  catalogID: string;
}

export async function catalogIdsOf({ owner, familyId: cloudID }: Household): Promise<CatalogIds> {
  const { data } = await expectOk(
    owner.post<{ data: CatalogIds }>(`${CLOUD}createCloudDoc`, { cloudID, catalogName: 'Holidays' }),
  );
  return { catalogID: data.catalogID };
}

export function catalogIdsOfNothing(): CatalogIds {
  return { catalogID: randomUUID() };
}
