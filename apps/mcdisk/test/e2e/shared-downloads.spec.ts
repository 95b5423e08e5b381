import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import { createCornersPicture, cornersOf, TEST_LOCATION_EXIF, findTestLocation } from '../support/pictures.js';

const HOUR_MS = 60 * 60_000;

let server: CloudServer;

beforeAll(async () => {
  server = await CloudServer.getShared();
});
afterAll(() => server.stop());

test('downloads of a picture contain its location for the family, but not for contacts and friends', async () => {
  const [mia, leo] = [sampleFamily(), sampleFamily()];
  for (const { snapshot } of [mia, leo]) await server.publishFamily(snapshot);
  const picture = await createCornersPicture().withExif(TEST_LOCATION_EXIF).jpeg({ quality: 95 }).toBuffer();
  expect(findTestLocation(picture)).not.toEqual([]);
  const owner = await server.as(mia.owner);
  const contentID = await owner.uploadFile(mia.cloudID, 'photo.jpg', picture);

  await owner.post('authorize', { cloudID: mia.cloudID, userId: mia.contact.id, contentIDList: [contentID] });
  const sides = [mia, leo].map(({ cloudID, cids, dids }) => ({ familyId: cloudID, cid: cids[0], did: dids[0] }));
  const friendship = { friendshipId: randomUUID(), version: 1, active: true, time: Date.now() - 1, sides };
  await server.publish('userctx', { name: 'userctx.friendship.changed', key: mia.cloudID, payload: friendship });
  const grant = {
    messageId: randomUUID(),
    familyId: mia.cloudID,
    contentIDs: [contentID],
    fromCid: mia.cids[0],
    toCid: leo.cids[0],
    toFamilyId: leo.cloudID,
    expiresAt: Date.now() + HOUR_MS,
  };
  await server.publish('gateway', { name: 'gateway.media.granted', key: mia.cloudID, payload: grant });

  const contact = await server.as(mia.contact);
  const friend = await server.as(leo.watches[0] ?? leo.owner);
  for (const [client, cloudID] of [
    [contact, mia.cloudID],
    [friend, leo.cloudID],
  ] as const) {
    let link = '';
    await waitUntil('the shared rendition to be ready', async () => {
      const answer = await client.post<{ downloadURL: string }>('getFileDownLoadURL', { cloudID, contentID });
      link = answer.body.code === 0 ? answer.body.data.downloadURL : '';
      return link !== '';
    });
    for (const headers of [{}, { range: 'bytes=0-' }, { range: `bytes=0-${picture.length * 2}` }] as Record<
      string,
      string
    >[]) {
      const shown = Buffer.from(await (await fetch(link, { headers })).arrayBuffer());
      expect(findTestLocation(shown)).toEqual([]);
      expect(await cornersOf(shown)).toBe('red green blue white');
    }
    await waitUntil('the thumbnail to be ready', async () => {
      const answer = await client.post<{ downloadURL: string }>('getFileDownLoadURL', {
        cloudID,
        contentID,
        variant: 2,
      });
      if (answer.body.code !== 0) return false;
      const small = Buffer.from(await (await fetch(answer.body.data.downloadURL)).arrayBuffer());
      expect(findTestLocation(small)).toEqual([]);
      return true;
    });
  }
  const own = await owner.download(mia.cloudID, contentID);
  expect(own.equals(picture)).toBe(true);
});
