import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { CloudPhotoDto, CloudPhotoListDto } from '@family-watch/domain/family-cloud/dto/cloud-photo.dto';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { memberSnapshot, sampleFamily, createUser } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';
import { seedContent, seedContents } from '../support/seeded-cloud.js';

describe('albums', () => {
  let server: CloudServer;
  let family: SampleFamily;
  let owner: CloudClient;
  let cloudID: string;

  beforeAll(async () => {
    server = await CloudServer.getShared();
  });
  afterAll(() => server.stop());

  async function createFamily(): Promise<void> {
    family = sampleFamily();
    cloudID = family.cloudID;
    await server.publishFamily(family.snapshot);
    owner = await CloudClient.create(server, family.owner);
  }
  beforeAll(createFamily);

  async function createAlbum(client: CloudClient, photoName = 'Summer'): Promise<string> {
    const { body, text } = await client.post<CloudPhotoDto>('createCloudPhoto', { cloudID, photoName });
    if (body.code !== 0) throw new Error(text);
    return body.data.photoID;
  }

  const add = (client: CloudClient, photoID: string, contentIDList: unknown) =>
    client.post<{ addContIDList: string[]; failureContIDList: string[] }>('addPhotoContents', {
      cloudID,
      photoID,
      contentIDList,
    });

  const remove = (client: CloudClient, photoID: string, contentIDList: unknown) =>
    client.post<{ removeContIDList: string[]; failureContIDList: string[] }>('removePhotoContents', {
      cloudID,
      photoID,
      contentIDList,
    });

  async function contentIdsIn(client: CloudClient, photoID: string): Promise<string[]> {
    const { body, text } = await client.post<{ totalCount: number; cloudContentList: { contentID: string }[] }>(
      'queryPhotoContents',
      { cloudID, photoID, pageInfo: { pageSize: 200 } },
    );
    if (body.code !== 0) throw new Error(text);
    expect(body.data.totalCount).toBe(body.data.cloudContentList.length);
    return body.data.cloudContentList.map(({ contentID }) => contentID);
  }

  async function albumsOf(client: CloudClient): Promise<CloudPhotoDto[]> {
    return (await client.post<CloudPhotoListDto>('queryCloudPhoto', { cloudID })).body.data.cloudPhotoList;
  }

  test('creates, renames, lists and deletes an album; the contents of a deleted album stay in the cloud', async () => {
    const photoID = await createAlbum(owner, 'Sommer 🏖');
    const content = await seedContent(server, cloudID);
    expect((await add(owner, photoID, [content])).body.data).toEqual({
      addContIDList: [content],
      failureContIDList: [],
    });
    const { body } = await owner.post<CloudPhotoDto>('modifyCloudPhoto', { cloudID, photoID, photoName: 'Winter' });
    expect(body.data).toMatchObject({ photoID, photoName: 'Winter', contentCount: 1 });
    expect(await albumsOf(owner)).toContainEqual(body.data);
    const deleted = await owner.post('deleteCloudPhoto', { cloudID, photoIDList: [photoID, photoID, 'x'] });
    expect(deleted.body.data).toEqual({ deletePhotoIDList: [photoID], failurePhotoIDList: ['x'] });
    expect((await owner.post('queryPhotoContents', { cloudID, photoID })).body.reason).toBe('ALBUM_NOT_FOUND');
    expect((await owner.list(cloudID)).cloudContentList.map(({ contentID }) => contentID)).toContain(content);
  });

  test('lists the contents of an album by capture time, newest first, across pages', async () => {
    const photoID = await createAlbum(owner);
    const [first, second, third] = await seedContents(server, cloudID, [{}, {}, {}]);
    await server.unitOfWork.executor.query('UPDATE mcdisk.content SET shot_at = $2 WHERE content_id = $1', [
      third?.contentId,
      1_000,
    ]);
    await add(owner, photoID, [first?.contentId, second?.contentId, third?.contentId]);
    expect(await contentIdsIn(owner, photoID)).toEqual([second?.contentId, first?.contentId, third?.contentId]);
    const { body } = await owner.post<{ totalCount: number; cloudContentList: { contentID: string }[] }>(
      'queryPhotoContents',
      { cloudID, photoID, pageInfo: { pageNum: 2, pageSize: 2 } },
    );
    expect(body.data).toMatchObject({ totalCount: 3, cloudContentList: [{ contentID: third?.contentId }] });
  });

  test('adding and removing contents return each distinct id in exactly one list, also when repeated', async () => {
    const photoID = await createAlbum(owner);
    const [one, two] = await seedContents(server, cloudID, [{}, {}]);
    const recycled = await seedContent(server, cloudID);
    await owner.delete(cloudID, [recycled]);
    const unknown = randomUUID();
    const ids = [two?.contentId, unknown, one?.contentId, 'x\u0000', two?.contentId, recycled, ''];
    const expected = {
      addContIDList: [two?.contentId, one?.contentId],
      failureContIDList: [unknown, 'x\u0000', recycled, ''],
    };
    expect((await add(owner, photoID, ids)).body.data).toEqual(expected);
    expect((await add(owner, photoID, ids)).body.data).toEqual(expected);
    // Removal succeeds for contents that were never in the album, and fails only for contents that the caller cannot
    // see.
    const out = {
      removeContIDList: [two?.contentId, one?.contentId, recycled],
      failureContIDList: [unknown, 'x\u0000', ''],
    };
    expect((await remove(owner, photoID, ids)).body.data).toEqual(out);
    expect((await remove(owner, photoID, ids)).body.data).toEqual(out);
    expect(await contentIdsIn(owner, photoID)).toEqual([]);
  });

  test('hides a deleted content of an album and lists it again after its restore', async () => {
    const photoID = await createAlbum(owner);
    const content = await seedContent(server, cloudID);
    await add(owner, photoID, [content]);
    await owner.delete(cloudID, [content]);
    expect(await contentIdsIn(owner, photoID)).toEqual([]);
    expect((await owner.post('restoreContents', { cloudID, contentIDList: [content] })).body.code).toBe(0);
    expect(await contentIdsIn(owner, photoID)).toEqual([content]);
  });

  test('a purged content is no longer in any album, nor the cover of an album', async () => {
    const photoID = await createAlbum(owner);
    const content = await seedContent(server, cloudID);
    await add(owner, photoID, [content]);
    await owner.post('modifyCloudPhoto', { cloudID, photoID, coverContentID: content });
    await server.publish('mcdisk', {
      name: 'mcdisk.content.purged',
      key: cloudID,
      payload: { cloudID, contentIDs: [content], by: null },
    });
    const [row] = await server.unitOfWork.executor.query<{ cover: string | null; count: number }>(
      `SELECT cover_content_id AS cover,
              (SELECT count(*)::int FROM mcdisk.album_content WHERE photo_id = $1) AS count
         FROM mcdisk.album WHERE photo_id = $1`,
      [photoID],
    );
    expect(row).toEqual({ cover: null, count: 0 });
  });

  test('accepts only contents of the album as its cover, and clears the cover when this content is removed', async () => {
    const photoID = await createAlbum(owner);
    const [older, newer] = await seedContents(server, cloudID, [{ cid: family.cids[0] }, { cid: family.cids[1] }]);
    await add(owner, photoID, [older?.contentId, newer?.contentId]);
    const coverOf = async () => {
      const rows = await server.unitOfWork.executor.query<{ cover: string | null }>(
        'SELECT cover_content_id AS cover FROM mcdisk.album WHERE photo_id = $1',
        [photoID],
      );
      return rows[0]?.cover;
    };
    const choose = (coverContentID: string) => owner.post('modifyCloudPhoto', { cloudID, photoID, coverContentID });
    expect((await choose(randomUUID())).body.reason).toBe('CONTENT_NOT_FOUND');
    expect((await choose(await seedContent(server, cloudID))).body.reason).toBe('CONTENT_NOT_FOUND');
    expect((await choose(older?.contentId ?? '')).body.code).toBe(0);
    expect(await coverOf()).toBe(older?.contentId);
    await remove(owner, photoID, [older?.contentId]);
    expect(await coverOf()).toBeNull();
  });

  test('returns the cover URL of an album once the thumbnail of its cover is ready', async () => {
    const photoID = await createAlbum(owner);
    const [content, thumbnail] = await seedContents(server, cloudID, [{}, {}]);
    await add(owner, photoID, [content?.contentId]);
    const coverURL = async () => (await albumsOf(owner)).find((album) => album.photoID === photoID)?.photoCoverURL;
    expect(await coverURL()).toBe('');
    await server.unitOfWork.executor.query(
      `INSERT INTO mcdisk.rendition (source_key, cloud_id, kind, state, blob_key, media_type, size, digest, due_at)
       VALUES ($1, $3, 'THUMBNAIL', 'READY', $2, 'image/webp', 10, repeat('0', 64), 0)`,
      [content?.blobKey, thumbnail?.blobKey, cloudID],
    );
    expect(await coverURL()).toContain('/app-api/mcdisk/blob/');
  });

  describe('visibility and permissions', () => {
    test('hides the contents and albums of a watch from a member without permissions for its child', async () => {
      const aunt = createUser();
      const [mine, theirs] = family.cids;
      await server.publishFamily({
        ...family.snapshot,
        version: 2,
        members: [
          ...family.snapshot.members,
          memberSnapshot(aunt, FAMILY_ROLE.CAREGIVER, { childPermissions: { [theirs]: [] } }),
        ],
      });
      const client = await CloudClient.create(server, aunt);
      const photoID = await createAlbum(owner);
      const [seen, unseen, common] = await seedContents(server, cloudID, [{ cid: mine }, { cid: theirs }, {}]);
      await add(owner, photoID, [seen?.contentId, unseen?.contentId, common?.contentId]);
      expect(await contentIdsIn(client, photoID)).toEqual([common?.contentId, seen?.contentId]);
      expect((await albumsOf(client)).find((album) => album.photoID === photoID)?.contentCount).toBe(2);
      expect((await add(client, photoID, [unseen?.contentId])).body.data.failureContIDList).toEqual([
        unseen?.contentId,
      ]);
      const hidden = await createAlbum(
        await CloudClient.create(server, family.watches[1] ?? family.owner),
        'of the other watch',
      );
      expect((await albumsOf(client)).map((album) => album.photoID)).not.toContain(hidden);
      expect((await client.post('queryPhotoContents', { cloudID, photoID: hidden })).body.reason).toBe(
        'ALBUM_NOT_FOUND',
      );
      expect((await add(client, hidden, [seen?.contentId])).body.reason).toBe('ALBUM_NOT_FOUND');
      expect((await albumsOf(owner)).map((album) => album.photoID)).toContain(hidden);
    });

    test('allows guardians to modify every album, and caregivers and watches only their own', async () => {
      const [guardian, caregiver, watch] = await Promise.all(
        [family.guardian, family.caregiver, family.watches[0] ?? family.owner].map((one) =>
          CloudClient.create(server, one),
        ),
      );
      if (!guardian || !caregiver || !watch) throw new Error('The family has no guardian, caregiver or watch');
      const [photoID, own, ofWatch] = [
        await createAlbum(owner),
        await createAlbum(caregiver),
        await createAlbum(watch),
      ];
      const rename = (client: CloudClient, id: string) =>
        client.post('modifyCloudPhoto', { cloudID, photoID: id, photoName: 'x' });
      expect((await rename(caregiver, photoID)).body.reason).toBe('PERMISSION_MISSING');
      expect((await rename(watch, photoID)).body.reason).toBe('PERMISSION_MISSING');
      expect((await rename(caregiver, own)).body.code).toBe(0);
      expect((await rename(watch, ofWatch)).body.code).toBe(0);
      expect((await rename(guardian, own)).body.code).toBe(0);
      const content = await seedContent(server, cloudID);
      expect((await add(caregiver, photoID, [content])).body.data.addContIDList).toEqual([content]);
      expect((await remove(caregiver, photoID, [content])).body.reason).toBe('PERMISSION_MISSING');
      const deleted = await caregiver.post('deleteCloudPhoto', { cloudID, photoIDList: [photoID, own] });
      expect(deleted.body.data).toEqual({ deletePhotoIDList: [own], failurePhotoIDList: [photoID] });
    });

    test('returns no albums to a contact', async () => {
      const photoID = await createAlbum(owner);
      const contact = await CloudClient.create(server, family.contact);
      expect((await contact.post('queryCloudPhoto', { cloudID })).body.data).toEqual({
        totalCount: 0,
        cloudPhotoList: [],
      });
      expect((await contact.post('queryPhotoContents', { cloudID, photoID })).body.reason).toBe('ALBUM_NOT_FOUND');
      expect((await contact.post('createCloudPhoto', { cloudID, photoName: 'x' })).body.reason).toBe(
        'PERMISSION_MISSING',
      );
      const deleted = await contact.post('deleteCloudPhoto', { cloudID, photoIDList: [photoID] });
      expect(deleted.body.data).toEqual({ deletePhotoIDList: [], failurePhotoIDList: [photoID] });
    });

    test('returns the same response for an album of another family as for an unknown album', async () => {
      const photoID = await createAlbum(owner);
      const content = await seedContent(server, cloudID);
      const other = sampleFamily();
      await server.publishFamily(other.snapshot);
      const stranger = await CloudClient.create(server, other.owner);
      const answers = [
        await stranger.post('queryPhotoContents', { cloudID: other.cloudID, photoID }),
        await stranger.post('modifyCloudPhoto', { cloudID: other.cloudID, photoID, photoName: 'x' }),
        await stranger.post('addPhotoContents', { cloudID: other.cloudID, photoID, contentIDList: [content] }),
        await stranger.post('removePhotoContents', { cloudID: other.cloudID, photoID, contentIDList: [content] }),
      ];
      expect(answers.map(({ body }) => body.reason)).toEqual(answers.map(() => 'ALBUM_NOT_FOUND'));
      const deleted = await stranger.post('deleteCloudPhoto', { cloudID: other.cloudID, photoIDList: [photoID] });
      expect(deleted.body.data).toEqual({ deletePhotoIDList: [], failurePhotoIDList: [photoID] });
    });
  });

  test('creates one album when a request is repeated with its idempotency key', async () => {
    await createFamily();
    const key = { 'idempotency-key': randomUUID() };
    const answers = [
      await owner.post<CloudPhotoDto>('createCloudPhoto', { cloudID, photoName: 'x' }, key),
      await owner.post<CloudPhotoDto>('createCloudPhoto', { cloudID, photoName: 'x' }, key),
    ];
    expect(answers[1]?.body.data).toEqual(answers[0]?.body.data);
    expect(await albumsOf(owner)).toHaveLength(1);
  });

  test('deletes the albums that the watch of a child created when the child is erased', async () => {
    const photoID = await createAlbum(await CloudClient.create(server, family.watches[0] ?? family.owner));
    await server.publish('userctx', {
      name: 'userctx.child.erased',
      key: cloudID,
      payload: { familyId: cloudID, cid: family.cids[0] },
    });
    expect((await albumsOf(owner)).map((album) => album.photoID)).not.toContain(photoID);
  });
});
