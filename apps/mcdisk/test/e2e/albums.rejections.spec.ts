import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CloudPhotoDto, CloudPhotoListDto } from '@family-watch/domain/family-cloud/dto/cloud-photo.dto';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import { seedContents } from '../support/seeded-cloud.js';

describe('album request validation', () => {
  const family = sampleFamily();
  const { cloudID } = family;
  let server: CloudServer;
  let owner: CloudClient;

  beforeAll(async () => {
    server = await CloudServer.getShared();
    await server.publishFamily(family.snapshot);
    owner = await CloudClient.create(server, family.owner);
  });
  afterAll(() => server.stop());

  const add = (photoID: string, contentIDList: unknown) =>
    owner.post<{ addContIDList: string[] }>('addPhotoContents', { cloudID, photoID, contentIDList });

  async function listAlbums(): Promise<CloudPhotoDto[]> {
    return (await owner.post<CloudPhotoListDto>('queryCloudPhoto', { cloudID })).body.data.cloudPhotoList;
  }

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

    test.each(['../x', 'x'.repeat(128), '%', randomUUID().toUpperCase(), '👪'])(
      'returns ALBUM_NOT_FOUND for the album id %j',
      async (photoID) => {
        expect((await owner.post('queryPhotoContents', { cloudID, photoID })).body.reason).toBe('ALBUM_NOT_FOUND');
      },
    );
  });

  describe('limits', () => {
    test('creates at most 1,000 albums per cloud under concurrent requests', async () => {
      await server.unitOfWork.executor.query(
        `INSERT INTO mcdisk.album (photo_id, cloud_id, name, created_by, created_at, updated_at)
         SELECT gen_random_uuid(), $1, 'x', 'user:x', 0, 0 FROM generate_series(1, 998)`,
        [cloudID],
      );
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => owner.post('createCloudPhoto', { cloudID, photoName: 'x' })),
      );
      expect(answers.filter(({ body }) => body.code === 0)).toHaveLength(2);
      expect(answers.filter(({ body }) => body.reason === 'LIMIT_REACHED')).toHaveLength(3);
    });

    test('rejects a request that would exceed 10,000 contents in an album, and changes nothing', async () => {
      const [album] = await listAlbums();
      const photoID = album?.photoID ?? '';
      const [, ...seeded] = await seedContents(
        server,
        cloudID,
        Array.from({ length: 10_001 }, () => ({ size: 0 })),
      );
      await server.unitOfWork.executor.query(
        `INSERT INTO mcdisk.album_content (photo_id, content_id, cloud_id, taken_at, added_at)
         SELECT $1, content_id, $3, 0, 0 FROM unnest($2::uuid[]) AS content_id`,
        [photoID, seeded.slice(1).map(({ contentId }) => contentId), cloudID],
      );
      const [one, two] = await seedContents(server, cloudID, [{}, {}]);
      expect((await add(photoID, [one?.contentId, two?.contentId])).body.reason).toBe('LIMIT_REACHED');
      expect((await add(photoID, [one?.contentId])).body.data.addContIDList).toEqual([one?.contentId]);
      expect((await add(photoID, [two?.contentId])).body.reason).toBe('LIMIT_REACHED');
      expect((await listAlbums()).find((one) => one.photoID === photoID)?.contentCount).toBe(10_000);
    });
  });
});
