import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { CloudPhotoDto, CloudPhotoListDto } from '@family-watch/domain/family-cloud/dto/cloud-photo.dto';
import type { CloudClient } from '../support/cloud-client.js';
import { seedContent, seedContents } from '../support/seeded-cloud.js';
import { addMember, createCloud, type TestCloud } from '../support/test-cloud.js';

describe('albums', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  beforeAll(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
  });

  const add = (client: CloudClient, photoID: string, contentIDList: unknown) =>
    client.post<{ addContIDList: string[]; failureContIDList: string[] }>('addPhotoContents', {
      cloudID,
      photoID,
      contentIDList,
    });
  const remove = (client: CloudClient, photoID: string, contentIDList: unknown) =>
    client.post('removePhotoContents', { cloudID, photoID, contentIDList });
  const modify = (client: CloudClient, photoID: string, changes: object) =>
    client.post<CloudPhotoDto>('modifyCloudPhoto', { cloudID, photoID, ...changes });
  const deleteAlbums = async (client: CloudClient, photoIDList: string[], cloud = cloudID) =>
    (await client.post('deleteCloudPhoto', { cloudID: cloud, photoIDList })).body.data;

  const page = (client: CloudClient, photoID: string, pageInfo: object = { pageSize: 200 }) =>
    client.post<{ totalCount: number; cloudContentList: { contentID: string }[] }>('queryPhotoContents', {
      cloudID,
      photoID,
      pageInfo,
    });
  async function contentIdsIn(client: CloudClient, photoID: string): Promise<string[]> {
    const { body } = await page(client, photoID);
    expect(body.data.totalCount).toBe(body.data.cloudContentList.length);
    return body.data.cloudContentList.map(({ contentID }) => contentID);
  }
  async function albumsOf(client: CloudClient): Promise<CloudPhotoDto[]> {
    return (await client.post<CloudPhotoListDto>('queryCloudPhoto', { cloudID })).body.data.cloudPhotoList;
  }

  test('creates, renames, lists and deletes an album; the contents of a deleted album stay in the cloud', async () => {
    const photoID = await owner.createAlbum(cloudID, 'Sommer 🏖');
    const content = await seedContent(server, cloudID);
    await add(owner, photoID, [content]);
    const { body } = await modify(owner, photoID, { photoName: 'Winter' });
    expect(body.data).toMatchObject({ photoID, photoName: 'Winter', contentCount: 1 });
    expect(await albumsOf(owner)).toContainEqual(body.data);
    expect(await deleteAlbums(owner, [photoID, photoID, 'x'])).toEqual({
      deletePhotoIDList: [photoID],
      failurePhotoIDList: ['x'],
    });
    expect((await page(owner, photoID)).body.reason).toBe('ALBUM_NOT_FOUND');
    expect(await owner.listIds(cloudID)).toContain(content);
  });

  test('lists the contents of an album by capture time, newest first, across pages', async () => {
    const photoID = await owner.createAlbum(cloudID);
    const [first, second, third] = await seedContents(server, cloudID, 3);
    await server.query('UPDATE mcdisk.content SET shot_at = 1000 WHERE content_id = $1', [third]);
    await add(owner, photoID, [first, second, third]);
    expect(await contentIdsIn(owner, photoID)).toEqual([second, first, third]);
    const { body } = await page(owner, photoID, { pageNum: 2, pageSize: 2 });
    expect(body.data).toMatchObject({ totalCount: 3, cloudContentList: [{ contentID: third }] });
  });

  test('adding and removing contents return each distinct id in exactly one list, also when repeated', async () => {
    const photoID = await owner.createAlbum(cloudID);
    const [one, two, recycled] = await seedContents(server, cloudID, 3);
    await owner.delete(cloudID, [recycled]);
    const unknown = randomUUID();
    const ids = [two, unknown, one, 'x\u0000', two, recycled, ''];
    // Removal succeeds for contents that were never in the album, and fails only for contents that the caller cannot
    // see.
    const added = { addContIDList: [two, one], failureContIDList: [unknown, 'x\u0000', recycled, ''] };
    const removed = { removeContIDList: [two, one, recycled], failureContIDList: [unknown, 'x\u0000', ''] };
    for (let time = 0; time < 2; time += 1) expect((await add(owner, photoID, ids)).body.data).toEqual(added);
    for (let time = 0; time < 2; time += 1) expect((await remove(owner, photoID, ids)).body.data).toEqual(removed);
    expect(await contentIdsIn(owner, photoID)).toEqual([]);
  });

  test('hides a deleted content of an album and lists it again after its restore', async () => {
    const photoID = await owner.createAlbum(cloudID);
    const content = await seedContent(server, cloudID);
    await add(owner, photoID, [content]);
    await owner.delete(cloudID, [content]);
    expect(await contentIdsIn(owner, photoID)).toEqual([]);
    await owner.post('restoreContents', { cloudID, contentIDList: [content] });
    expect(await contentIdsIn(owner, photoID)).toEqual([content]);
  });

  const coverOf = async (photoID: string) => {
    const rows = await server.query<{ cover: string | null }>(
      'SELECT cover_content_id AS cover FROM mcdisk.album WHERE photo_id = $1',
      [photoID],
    );
    return rows[0]?.cover;
  };

  test('a purged content is no longer in any album, nor the cover of an album', async () => {
    const photoID = await owner.createAlbum(cloudID);
    const content = await seedContent(server, cloudID);
    await add(owner, photoID, [content]);
    await modify(owner, photoID, { coverContentID: content });
    const payload = { cloudID, contentIDs: [content], by: null };
    await server.publish('mcdisk', { name: 'mcdisk.content.purged', key: cloudID, payload });
    expect(await coverOf(photoID)).toBeNull();
    expect(await server.query('SELECT FROM mcdisk.album_content WHERE photo_id = $1', [photoID])).toEqual([]);
  });

  test('accepts only contents of the album as its cover, and clears the cover when this content is removed', async () => {
    const photoID = await owner.createAlbum(cloudID);
    const [older, newer, outside] = await seedContents(server, cloudID, 3);
    await add(owner, photoID, [older, newer]);
    for (const coverContentID of [randomUUID(), outside])
      expect((await modify(owner, photoID, { coverContentID })).body.reason).toBe('CONTENT_NOT_FOUND');
    await modify(owner, photoID, { coverContentID: older });
    expect(await coverOf(photoID)).toBe(older);
    await remove(owner, photoID, [older]);
    expect(await coverOf(photoID)).toBeNull();
  });

  test('returns the cover URL of an album once the thumbnail of its cover is ready', async () => {
    const photoID = await owner.createAlbum(cloudID);
    const keys = [randomUUID(), randomUUID()];
    const [content] = await seedContents(
      server,
      cloudID,
      keys.map((blobKey) => ({ blobKey })),
    );
    await add(owner, photoID, [content]);
    const coverURL = async () => (await albumsOf(owner)).find((album) => album.photoID === photoID)?.photoCoverURL;
    expect(await coverURL()).toBe('');
    await server.query(
      `INSERT INTO mcdisk.rendition (source_key, cloud_id, kind, state, blob_key, media_type, size, digest, due_at)
       VALUES ($1, $3, 'THUMBNAIL', 'READY', $2, 'image/webp', 10, repeat('0', 64), 0)`,
      [...keys, cloudID],
    );
    expect(await coverURL()).toContain('/app-api/mcdisk/blob/');
  });

  describe('visibility and permissions', () => {
    test('hides the contents and albums of a watch from a member without permissions for its child', async () => {
      const [mine, theirs] = family.cids;
      const childPermissions = { [theirs]: [] };
      const client = await addMember({ server, family }, FAMILY_ROLE.CAREGIVER, { childPermissions });
      const photoID = await owner.createAlbum(cloudID);
      const [seen, unseen, common] = await seedContents(server, cloudID, [{ cid: mine }, { cid: theirs }, {}]);
      await add(owner, photoID, [seen, unseen, common]);
      expect(await contentIdsIn(client, photoID)).toEqual([common, seen]);
      expect((await albumsOf(client)).find((album) => album.photoID === photoID)?.contentCount).toBe(2);
      expect((await add(client, photoID, [unseen])).body.data.failureContIDList).toEqual([unseen]);
      const hidden = await (await server.as(family.watches[1]!)).createAlbum(cloudID, 'of the other watch');
      expect((await albumsOf(client)).map((album) => album.photoID)).not.toContain(hidden);
      expect((await page(client, hidden)).body.reason).toBe('ALBUM_NOT_FOUND');
      expect((await add(client, hidden, [seen])).body.reason).toBe('ALBUM_NOT_FOUND');
      expect((await albumsOf(owner)).map((album) => album.photoID)).toContain(hidden);
    });

    test('allows guardians to modify every album, and caregivers and watches only their own', async () => {
      const [guardian, caregiver, watch] = [
        await server.as(family.guardian),
        await server.as(family.caregiver),
        await server.as(family.watches[0]!),
      ];
      const photoID = await owner.createAlbum(cloudID);
      const [own, ofWatch] = [await caregiver.createAlbum(cloudID), await watch.createAlbum(cloudID)];
      const rename = async (client: CloudClient, id: string) =>
        (await modify(client, id, { photoName: 'x' })).body.reason ?? 'ok';
      expect([await rename(caregiver, photoID), await rename(caregiver, own)]).toEqual(['PERMISSION_MISSING', 'ok']);
      expect([await rename(watch, photoID), await rename(watch, ofWatch)]).toEqual(['PERMISSION_MISSING', 'ok']);
      expect(await rename(guardian, own)).toBe('ok');
      const content = await seedContent(server, cloudID);
      expect((await add(caregiver, photoID, [content])).body.data.addContIDList).toEqual([content]);
      expect((await remove(caregiver, photoID, [content])).body.reason).toBe('PERMISSION_MISSING');
      const outcome = { deletePhotoIDList: [own], failurePhotoIDList: [photoID] };
      expect(await deleteAlbums(caregiver, [photoID, own])).toEqual(outcome);
    });

    test('returns no albums to a contact', async () => {
      const photoID = await owner.createAlbum(cloudID);
      const contact = await server.as(family.contact);
      expect(await albumsOf(contact)).toEqual([]);
      expect((await page(contact, photoID)).body.reason).toBe('ALBUM_NOT_FOUND');
      const created = await contact.post('createCloudPhoto', { cloudID, photoName: 'x' });
      expect(created.body.reason).toBe('PERMISSION_MISSING');
      const outcome = { deletePhotoIDList: [], failurePhotoIDList: [photoID] };
      expect(await deleteAlbums(contact, [photoID])).toEqual(outcome);
    });

    test('returns the same response for an album of another family as for an unknown album', async () => {
      const photoID = await owner.createAlbum(cloudID);
      const { owner: stranger, ...other } = await createCloud();
      const request = { cloudID: other.cloudID, photoID, photoName: 'x', contentIDList: [randomUUID()] };
      for (const operation of ['queryPhotoContents', 'modifyCloudPhoto', 'addPhotoContents', 'removePhotoContents'])
        expect((await stranger.post(operation, request)).body.reason).toBe('ALBUM_NOT_FOUND');
      const outcome = { deletePhotoIDList: [], failurePhotoIDList: [photoID] };
      expect(await deleteAlbums(stranger, [photoID], other.cloudID)).toEqual(outcome);
    });

    test.each(['../x', 'x'.repeat(128), '%', randomUUID().toUpperCase(), '👪'])(
      'returns ALBUM_NOT_FOUND for the album id %j',
      async (photoID) => {
        expect((await page(owner, photoID)).body.reason).toBe('ALBUM_NOT_FOUND');
      },
    );
  });

  test('creates one album when a request is repeated with its idempotency key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const create = () => owner.post('createCloudPhoto', { cloudID, photoName: key['idempotency-key'] }, key);
    expect((await create()).body.data).toEqual((await create()).body.data);
    expect((await albumsOf(owner)).filter(({ photoName }) => photoName === key['idempotency-key'])).toHaveLength(1);
  });

  test('deletes the albums that the watch of a child created when the child is erased', async () => {
    const photoID = await (await server.as(family.watches[0]!)).createAlbum(cloudID);
    const payload = { familyId: cloudID, cid: family.cids[0] };
    await server.publish('userctx', { name: 'userctx.child.erased', key: cloudID, payload });
    expect((await albumsOf(owner)).map((album) => album.photoID)).not.toContain(photoID);
  });

  describe('invalid requests', () => {
    const named = { cloudID: 'x', photoID: 'x' };
    test.each([
      ['createCloudPhoto', { cloudID: 'x' }],
      ['createCloudPhoto', { cloudID: 'x', photoName: '' }],
      ['createCloudPhoto', { cloudID: 'x', photoName: '../x' }],
      ['createCloudPhoto', { cloudID: 'x', photoName: '界'.repeat(86) }],
      ['createCloudPhoto', { cloudID: 'x', photoName: 7 }],
      ['modifyCloudPhoto', { ...named, photoName: '..' }],
      ['modifyCloudPhoto', { ...named, coverContentID: 'x'.repeat(129) }],
      ['modifyCloudPhoto', { cloudID: 'x', photoName: 'x' }],
      ['deleteCloudPhoto', { cloudID: 'x', photoIDList: [] }],
      ['deleteCloudPhoto', { cloudID: 'x', photoIDList: 'x' }],
      ['deleteCloudPhoto', { cloudID: 'x', photoIDList: Array.from({ length: 1_001 }, () => 'x') }],
      ['queryCloudPhoto', {}],
      ['queryCloudPhoto', { cloudID: 'x', pageInfo: { pageSize: 201 } }],
      ['queryPhotoContents', { cloudID: 'x' }],
      ['queryPhotoContents', { ...named, pageInfo: { pageNum: 0 } }],
      ['addPhotoContents', { ...named, contentIDList: [] }],
      ['addPhotoContents', { ...named, contentIDList: [7] }],
      ['addPhotoContents', { ...named, contentIDList: Array.from({ length: 1_001 }, () => 'x') }],
      ['addPhotoContents', { ...named }],
      ['removePhotoContents', { ...named, contentIDList: [] }],
      ['removePhotoContents', { ...named, contentIDList: {} }],
    ])('%s returns 400 for invalid body number %#', async (operation, body) => {
      const answer = await owner.post(operation, body);
      expect([answer.status, answer.body.reason]).toEqual([400, 'VALIDATION_FAILED']);
    });
  });

  test('creates at most 1,000 albums per cloud under concurrent requests', async () => {
    const full = await createCloud();
    await server.query(
      `INSERT INTO mcdisk.album (photo_id, cloud_id, name, created_by, created_at, updated_at)
       SELECT gen_random_uuid(), $1, 'x', 'user:x', 0, 0 FROM generate_series(1, 998)`,
      [full.cloudID],
    );
    const request = { cloudID: full.cloudID, photoName: 'x' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => full.owner.post('createCloudPhoto', request)));
    expect(answers.filter(({ body }) => body.code === 0)).toHaveLength(2);
    expect(answers.filter(({ body }) => body.reason === 'LIMIT_REACHED')).toHaveLength(3);
  });

  test('rejects a request that would exceed 10,000 contents in an album, and changes nothing', async () => {
    const photoID = await owner.createAlbum(cloudID);
    const seeded = await seedContents(server, cloudID, 9_999, { size: 0 });
    await server.query(
      `INSERT INTO mcdisk.album_content (photo_id, content_id, cloud_id, taken_at, added_at)
       SELECT $1, content_id, $3, 0, 0 FROM unnest($2::uuid[]) AS content_id`,
      [photoID, seeded, cloudID],
    );
    const [one, two] = await seedContents(server, cloudID, 2);
    expect((await add(owner, photoID, [one, two])).body.reason).toBe('LIMIT_REACHED');
    expect((await add(owner, photoID, [one])).body.data.addContIDList).toEqual([one]);
    expect((await add(owner, photoID, [two])).body.reason).toBe('LIMIT_REACHED');
    expect((await albumsOf(owner)).find((album) => album.photoID === photoID)?.contentCount).toBe(10_000);
  });
});
