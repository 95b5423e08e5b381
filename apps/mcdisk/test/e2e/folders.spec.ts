import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CatalogDto, ContentListDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { FolderTreeService } from '../../src/files/folders/folder-tree.service.js';
import { outcomeOf, type CloudClient } from '../support/cloud-client.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

const UNKNOWN_ID = randomUUID();
/** Invalid names of folders and files; the longest name has 256 bytes. */
const INVALID_NAMES = [
  '',
  ' ',
  '\u200b',
  '\u3164',
  '.',
  '..',
  '../up',
  'a/b',
  'a\\b',
  'a\u0000b',
  'photo\u202egpj',
  '界'.repeat(85) + 'a',
  7,
  null,
  {},
  ['a'],
];

describe('folders', () => {
  let { server, family, owner } = {} as TestCloud;
  beforeEach(async () => {
    ({ server, family, owner } = await createCloud());
    owner = await as(family.owner);
  });

  const as = (principal: Principal) => server.as(principal);
  const make = (client: CloudClient, catalogName: unknown, more: object = {}, headers = {}) =>
    client.post<CatalogDto>('createCloudDoc', { cloudID: family.cloudID, catalogName, ...more }, headers);
  const made = async (catalogName: string, parentCatalogID = '') =>
    (await make(owner, catalogName, { parentCatalogID })).body.data;
  const rename = (client: CloudClient, catalogID: unknown, catalogName: unknown, more: object = {}) =>
    client.post<CatalogDto>('modifyCloudDoc', { cloudID: family.cloudID, catalogID, catalogName, ...more });
  const list = (client: CloudClient, more: object = {}) =>
    client.post<ContentListDto>('queryContentList', { cloudID: family.cloudID, ...more });

  describe('createCloudDoc', () => {
    test('creates a folder in the root, and in another folder named by id, by path or by both', async () => {
      const { body } = await make(owner, 'Holidays');
      const top = body.data;
      expect(body).toEqual({
        code: 0,
        msg: 'ok',
        data: {
          catalogID: expect.stringMatching(/^[0-9a-f-]{36}$/),
          parentCatalogID: '',
          catalogName: 'Holidays',
          catalogType: 3,
          path: `root:/${top.catalogID}`,
          createTime: expect.any(Number),
          lastUpdateTime: top.createTime,
        },
      });
      const { catalogID: parentCatalogID, path } = top;
      for (const where of [{ parentCatalogID }, { path }, { parentCatalogID, path }, { path: `${path}/` }]) {
        const below = (await make(owner, randomUUID(), where)).body.data;
        expect(below).toMatchObject({ parentCatalogID, path: `${path}/${below.catalogID}` });
      }
      expect((await list(owner, { catalogID: parentCatalogID })).body.data.catalogCount).toBe(4);
    });

    test('rejects a name that exists in the same folder, until the folder with this name is renamed', async () => {
      const first = await made('Holidays');
      expect(outcomeOf(await make(owner, 'Holidays'))).toEqual([409, 'CATALOG_EXISTS']);
      await made('Holidays', first.catalogID);
      await made('holidays');
      await rename(owner, first.catalogID, 'Summer');
      await made('Holidays');
    });

    test('rejects a name that exists in the same folder in another normalization form', async () => {
      const first = await made('Amélie'.normalize('NFD'));
      expect(first.catalogName).toBe('Amélie'.normalize('NFC'));
      expect(outcomeOf(await make(owner, 'Amélie'.normalize('NFC')))).toEqual([409, 'CATALOG_EXISTS']);
      const other = await made('Zoë');
      expect(outcomeOf(await rename(owner, other.catalogID, 'Amélie'.normalize('NFD')))).toEqual([
        409,
        'CATALOG_EXISTS',
      ]);
    });

    test('returns the same folder for a repeated idempotency key', async () => {
      const key = { 'idempotency-key': randomUUID() };
      const [first, again] = [await make(owner, 'Holidays', {}, key), await make(owner, 'Holidays', {}, key)];
      expect(again.body).toEqual(first.body);
      expect((await list(owner)).body.data.catalogCount).toBe(1);
    });

    test.each([
      ['owner', 'ok'],
      ['guardian', 'ok'],
      ['caregiver', 'ok'],
      ['contact', 'PERMISSION_MISSING'],
    ] as const)('returns to the %s the reason %s', async (who, expected) => {
      expect(outcomeOf(await make(await as(family[who]), who))[1]).toBe(expected);
    });

    test('creates a folder for a watch', async () => {
      expect(outcomeOf(await make(await as(family.watches[0]!), 'My drawings'))).toEqual([200, 'ok']);
    });

    test('returns CATALOG_NOT_FOUND for unknown, deleted, foreign and malformed parents', async () => {
      const { owner: stranger, ...other } = await createCloud();
      const foreign = await stranger.post<CatalogDto>('createCloudDoc', { cloudID: other.cloudID, catalogName: 'x' });
      const [own, deleted] = [await made('own'), await made('deleted')];
      await server.get(FolderTreeService).deleteEmpty(family.cloudID, deleted.catalogID);
      const ids = [UNKNOWN_ID, foreign.body.data.catalogID, deleted.catalogID, 'x', '..'];
      const paths = [
        `root:/${UNKNOWN_ID}`,
        foreign.body.data.path,
        'root:/..',
        'root',
        '/',
        `root:/${own.catalogID}/..`,
      ];
      const noPlaces = [
        ...ids.map((id) => ({ id, path: undefined })),
        ...paths.map((path) => ({ id: undefined, path })),
        { id: own.catalogID, path: 'root:' },
        { id: undefined, path: `root:/${UNKNOWN_ID}/${own.catalogID}` },
      ];
      for (const { id, path } of noPlaces) {
        const answers = [
          await make(owner, 'new', { parentCatalogID: id, path }),
          await list(owner, { catalogID: id, path }),
        ];
        expect(answers.map(outcomeOf)).toEqual(answers.map(() => [404, 'CATALOG_NOT_FOUND']));
      }
      expect((await list(owner)).body.data.catalogCount).toBe(1);
    });

    test.each(INVALID_NAMES)('rejects the name %j', async (name) => {
      const [folder, file] = [await made('folder'), await owner.uploadFile(family.cloudID, 'file', Buffer.from('x'))];
      const answers = [
        await make(owner, name),
        await rename(owner, folder.catalogID, name),
        // Optional in this operation, so null would keep the name.
        await owner.post('modifyContentInfo', { cloudID: family.cloudID, contentID: file, contentName: name ?? '' }),
      ];
      expect(answers.map(outcomeOf)).toEqual(answers.map(() => [400, 'VALIDATION_FAILED']));
    });

    test('accepts a name of 255 bytes', async () => {
      expect(outcomeOf(await make(owner, '界'.repeat(85)))).toEqual([200, 'ok']);
    });

    test.each([
      [{ parentCatalogID: 7 }, 'VALIDATION_FAILED'],
      [{ parentCatalogID: 'x'.repeat(129) }, 'VALIDATION_FAILED'],
      [{ path: {} }, 'VALIDATION_FAILED'],
      [{ path: 'x'.repeat(5_000) }, 'VALIDATION_FAILED'],
      [{ cloudID: '' }, 'VALIDATION_FAILED'],
      [{ cloudID: ['x'] }, 'VALIDATION_FAILED'],
      [{ cloudType: 2 }, 'CLOUD_TYPE_UNSUPPORTED'],
      [{ catalogType: 1 }, 'CLOUD_TYPE_UNSUPPORTED'],
    ])('returns 400 for %j', async (wrong, reason) => {
      expect(outcomeOf(await make(owner, 'Holidays', wrong))).toEqual([400, reason]);
    });
  });

  describe('modifyCloudDoc', () => {
    test('renames a folder and changes nothing else', async () => {
      const folder = await made('Holidays');
      const { data } = (await rename(owner, folder.catalogID, 'Summer')).body;
      expect(data).toEqual({ ...folder, catalogName: 'Summer', lastUpdateTime: expect.any(Number) });
      expect((await list(owner)).body.data.cloudCatalogList).toEqual([data]);
    });

    test('changes nothing when the name is unchanged, and rejects the name of another folder', async () => {
      const [folder] = [await made('Holidays'), await made('Summer')];
      expect((await rename(owner, folder.catalogID, 'Holidays')).body.data).toEqual(folder);
      expect(outcomeOf(await rename(owner, folder.catalogID, 'Summer'))).toEqual([409, 'CATALOG_EXISTS']);
    });

    test('accepts a new name from members with the right to delete and from the creator', async () => {
      const caregiver = await as(family.caregiver);
      const [hers, ours] = [(await make(caregiver, 'hers')).body.data, await made('ours')];
      expect(outcomeOf(await rename(caregiver, hers.catalogID, 'hers 2'))).toEqual([200, 'ok']);
      expect(outcomeOf(await rename(caregiver, ours.catalogID, 'ours 2'))).toEqual([403, 'PERMISSION_MISSING']);
      expect(outcomeOf(await rename(await as(family.guardian), hers.catalogID, 'hers 3'))).toEqual([200, 'ok']);
    });

    test('returns the same response for unknown and foreign folders, and PERMISSION_MISSING to a contact', async () => {
      const folder = await made('ours');
      const { owner: stranger, ...other } = await createCloud();
      const foreign = await rename(stranger, folder.catalogID, 'x', { cloudID: other.cloudID });
      const unknown = await rename(stranger, UNKNOWN_ID, 'x', { cloudID: other.cloudID });
      expect(foreign.text).toBe(unknown.text);
      expect(outcomeOf(foreign)).toEqual([404, 'CATALOG_NOT_FOUND']);
      const contact = await as(family.contact);
      for (const id of [folder.catalogID, UNKNOWN_ID]) {
        expect(outcomeOf(await rename(contact, id, 'x'))).toEqual([403, 'PERMISSION_MISSING']);
        expect(outcomeOf(await list(contact, { catalogID: id }))).toEqual([404, 'CATALOG_NOT_FOUND']);
      }
    });

    test.each(['', 'x', '../..', 'root:', 7, null, {}])('rejects the folder id %j', async (catalogID) => {
      const { status } = await rename(owner, catalogID, 'x');
      expect(status).toBe(typeof catalogID === 'string' && catalogID !== '' ? 404 : 400);
    });
  });
});
