import { randomUUID } from 'node:crypto';
import { CLOUD_PATH, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** Id of an album that the watch created, so that every member of the family may change it. */
export interface AlbumIds {
  photoID: string;
}

export async function albumIdsOf({ watch, familyId: cloudID }: FamilyFixture): Promise<AlbumIds> {
  const { data } = await expectOk(
    watch.post<{ data: AlbumIds }>(`${CLOUD_PATH}createCloudPhoto`, { cloudID, photoName: 'Summer' }),
  );
  return { photoID: data.photoID };
}

export function unknownAlbumIds(): AlbumIds {
  return { photoID: randomUUID() };
}
