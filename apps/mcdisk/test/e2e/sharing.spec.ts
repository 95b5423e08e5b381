import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { AuthorizationListDto, AuthorizedDto } from '@family-watch/domain/family-cloud/dto/authorization.dto';
import { ShareService } from '../../src/contexts/sharing/share.service.js';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { memberSnapshot, sampleFamily } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';

const HOUR_MS = 60 * 60_000;

describe('shares with a contact', () => {
  let server: CloudServer;
  let family: SampleFamily;
  let cloudID: string;
  let owner: CloudClient;
  let guardian: CloudClient;
  let contact: CloudClient;

  beforeAll(async () => {
    server = await CloudServer.getShared();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    family = sampleFamily();
    cloudID = family.cloudID;
    await server.publishFamily(family.snapshot);
    [owner, guardian, contact] = await Promise.all([
      CloudClient.create(server, family.owner),
      CloudClient.create(server, family.guardian),
      CloudClient.create(server, family.contact),
    ]);
  });

  const authorize = (client: CloudClient, what: object, userId = family.contact.id) =>
    client.post<AuthorizedDto>('authorize', { cloudID, userId, ...what });

  async function createShare(what: object, by = owner): Promise<string> {
    const { body, text } = await authorize(by, what);
    if (body.code !== 0) throw new Error(text);
    return body.data.authorizationID;
  }

  const known = async (client: CloudClient, more: object = {}) =>
    (await client.post<AuthorizationListDto>('queryAuthorization', { cloudID, ...more })).body.data;
  const listed = async (client = contact, more: object = {}) =>
    (await client.list(cloudID, more)).cloudContentList.map(({ contentID }) => contentID);
  const linkOf = (client: CloudClient, contentID: string) => client.post('getFileDownLoadURL', { cloudID, contentID });
  const files = (...names: string[]) =>
    Promise.all(names.map((name) => owner.uploadFile(cloudID, `${name}.txt`, Buffer.from(name))));

  test('a contact can list, inspect and download only the shared contents', async () => {
    const [one = '', two = ''] = await files('one', 'two');
    expect(await listed()).toEqual([]);
    const authorizationID = await createShare({ contentIDList: [one, one] });
    expect(await listed()).toEqual([one]);
    const info = await contact.post('queryContentInfo', { cloudID, contentID: one });
    expect(info.body.data).toMatchObject({ contentID: one, parentCatalogID: '', path: 'root:' });
    expect(await (await fetch(await contact.createDownloadUrl(cloudID, one))).text()).toBe('one');
    expect((await linkOf(contact, two)).body.reason).toBe('PERMISSION_MISSING');
    expect((await contact.post('queryContentInfo', { cloudID, contentID: two })).body.reason).toBe('CONTENT_NOT_FOUND');
    const changed = await contact.post('modifyContentInfo', { cloudID, contentID: one, contentName: 'x' });
    expect(changed.body.reason).toBe('CONTENT_NOT_FOUND');
    expect((await contact.delete(cloudID, [one])).body.data.deleteContIDList).toEqual([]);
    expect(await known(contact)).toMatchObject({
      totalCount: 1,
      authorizationList: [{ authorizationID, userId: family.contact.id, contentIDList: [one], expireTime: null }],
    });
    expect(await known(owner)).toEqual(await known(contact));
    expect(await known(await CloudClient.create(server, family.caregiver))).toEqual({
      totalCount: 0,
      authorizationList: [],
    });
  });

  test.each([
    ['text', 'said in a letter', true],
    ['a voice recording', '#!AMR\n', true],
    ['a document', '%PDF-1.7 /Author (Mia)', false],
    ['a song', 'fLaC', false],
    ['bytes of an unknown type', '\u0000\u0001\u0002', false],
  ])('sharing %s returns whether its metadata is removed', async (_, bytes, metadataRemoved) => {
    const contentID = await owner.uploadFile(cloudID, 'file', Buffer.from(bytes));
    const [plain = ''] = await files('plain');
    const authorized = (what: object) => authorize(owner, what).then(({ body }) => body.data);
    expect(await authorized({ contentIDList: [plain, contentID] })).toMatchObject({ metadataRemoved });
    const album = await owner.post<{ photoID: string }>('createCloudPhoto', { cloudID, photoName: 'album' });
    const { photoID } = album.body.data;
    expect(await authorized({ photoID })).toMatchObject({ metadataRemoved: true });
    await owner.post('addPhotoContents', { cloudID, photoID, contentIDList: [contentID] });
    expect(await authorized({ photoID })).toMatchObject({ metadataRemoved });
    expect(await (await fetch(await contact.createDownloadUrl(cloudID, contentID))).text()).toBe(bytes);
  });

  test('revoking a share invalidates its download URLs immediately', async () => {
    const [one = ''] = await files('one');
    const authorizationID = await createShare({ contentIDList: [one] });
    const link = await contact.createDownloadUrl(cloudID, one);
    expect((await fetch(link)).status).toBe(200);
    const revoke = () => guardian.post('revokeAuthorization', { cloudID, authorizationID });
    expect((await revoke()).body.code).toBe(0);
    expect((await fetch(link)).status).toBe(404);
    expect(await listed()).toEqual([]);
    expect((await revoke()).body.reason).toBe('AUTHORIZATION_NOT_FOUND');
  });

  test('a share of a folder includes the current contents of the folder and its descendants', async () => {
    const folder = async (catalogName: string, parentCatalogID = '') => {
      const answer = await owner.post<{ catalogID: string }>('createCloudDoc', {
        cloudID,
        catalogName,
        parentCatalogID,
      });
      return answer.body.data.catalogID;
    };
    const top = await folder('top');
    const below = await folder('below', top);
    await createShare({ catalogID: top });
    const [one = '', two = ''] = await files('one', 'two');
    const put = (id: string, catalog: string | null) =>
      server.unitOfWork.executor.query('UPDATE mcdisk.content SET parent_catalog_id = $2 WHERE content_id = $1', [
        id,
        catalog,
      ]);
    await put(one, top);
    await put(two, below);
    expect((await listed()).toSorted()).toEqual([one, two].toSorted());
    expect((await contact.list(cloudID)).cloudContentList).toMatchObject([
      { parentCatalogID: '' },
      { parentCatalogID: '' },
    ]);
    expect((await contact.post('queryContentList', { cloudID, catalogID: top })).body.reason).toBe('CATALOG_NOT_FOUND');
    await put(one, null);
    expect(await listed()).toEqual([two]);
    expect((await fetch(await contact.createDownloadUrl(cloudID, two))).status).toBe(200);
  });

  test('a share of an album includes its current contents until the album is deleted', async () => {
    const [one = '', two = ''] = await files('one', 'two');
    const created = await owner.post<{ photoID: string }>('createCloudPhoto', { cloudID, photoName: 'Summer' });
    const { photoID } = created.body.data;
    await owner.post('addPhotoContents', { cloudID, photoID, contentIDList: [one] });
    await createShare({ photoID });
    expect(await listed()).toEqual([one]);
    await owner.post('addPhotoContents', { cloudID, photoID, contentIDList: [two] });
    expect((await listed()).toSorted()).toEqual([one, two].toSorted());
    await owner.post('deleteCloudPhoto', { cloudID, photoIDList: [photoID] });
    expect(await listed()).toEqual([]);
    expect((await known(owner)).totalCount).toBe(0);
  });

  test('a share omits a deleted content until it is restored', async () => {
    const [one = ''] = await files('one');
    await createShare({ contentIDList: [one] });
    await owner.delete(cloudID, [one]);
    expect(await listed()).toEqual([]);
    expect((await linkOf(contact, one)).body.reason).toBe('PERMISSION_MISSING');
    await owner.post('restoreContents', { cloudID, contentIDList: [one] });
    expect(await listed()).toEqual([one]);
  });

  test('a share ends permanently when its creator or its recipient leaves the family', async () => {
    const [one = ''] = await files('one');
    for (const gone of [family.contact, family.guardian]) {
      await createShare({ contentIDList: [one] }, guardian);
      const { version } = family.snapshot;
      const members = family.snapshot.members.filter(({ userId }) => userId !== gone.id);
      await server.publishFamily({ ...family.snapshot, members, version: version + 1 });
      family.snapshot.version = version + 2;
      await server.publishFamily(family.snapshot);
      expect(await listed()).toEqual([]);
      expect((await known(owner)).totalCount).toBe(0);
    }
  });

  test('a share includes only contents its creator can see, and none while the creator may not share', async () => {
    const watches = await CloudClient.create(server, family.watches[0] ?? family.owner);
    const hidden = await watches.uploadFile(cloudID, 'x.txt', Buffer.from('x'));
    const change = async (role: 1 | 2 | 3, seen: boolean) => {
      family.snapshot.version += 1;
      const members = family.snapshot.members.map((each) =>
        each.userId === family.guardian.id
          ? memberSnapshot(family.guardian, role, seen ? {} : { childPermissions: { [family.cids[0]]: [] } })
          : each,
      );
      await server.publishFamily({ ...family.snapshot, members });
    };
    await change(FAMILY_ROLE.GUARDIAN, false);
    expect((await authorize(guardian, { contentIDList: [hidden] })).body.reason).toBe('CONTENT_NOT_FOUND');
    await change(FAMILY_ROLE.GUARDIAN, true);
    await createShare({ contentIDList: [hidden] }, guardian);
    const link = await contact.createDownloadUrl(cloudID, hidden);
    expect(await listed()).toEqual([hidden]);
    for (const [role, seen] of [
      [FAMILY_ROLE.GUARDIAN, false],
      [FAMILY_ROLE.CAREGIVER, true],
    ] as const) {
      await change(role, seen);
      expect(await listed()).toEqual([]);
      expect((await fetch(link)).status).toBe(404);
    }
    await change(FAMILY_ROLE.GUARDIAN, true);
    expect((await fetch(link)).status).toBe(200);
  });

  test('a share ends at its expiry', async () => {
    const [one = ''] = await files('one');
    const id = await createShare({ contentIDList: [one], expireTime: Date.now() + HOUR_MS });
    expect(await listed()).toEqual([one]);
    const link = await contact.createDownloadUrl(cloudID, one);
    await server.unitOfWork.executor.query('UPDATE mcdisk.share SET expires_at = $2 WHERE authorization_id = $1', [
      id,
      Date.now(),
    ]);
    expect(await listed()).toEqual([]);
    expect((await fetch(link)).status).toBe(404);
    expect((await known(owner)).totalCount).toBe(0);
  });

  test('deletes a share that was created while a member left, and no others', async () => {
    const [one = ''] = await files('one');
    const kept = await createShare({ contentIDList: [one] });
    const late = await createShare({ contentIDList: [one] });
    const rename = 'UPDATE mcdisk.share SET grantee = $2 WHERE authorization_id = $1';
    await server.unitOfWork.executor.query(rename, [late, 'user:who-left']);
    await server.app.get(ShareService, { strict: false }).deleteExpired(Date.now());
    const { authorizationList } = await known(owner);
    expect(authorizationList.map(({ authorizationID }) => authorizationID)).toEqual([kept]);
  });

  test('lists each shared content once, newest first, in pages', async () => {
    const [one = '', two = ''] = await files('one', 'two');
    const ids = [await createShare({ contentIDList: [one] }), await createShare({ contentIDList: [one, two] })];
    const page = await known(contact, { pageInfo: { pageNum: 2, pageSize: 1 } });
    expect(page).toMatchObject({ totalCount: 2, authorizationList: [{ authorizationID: ids[0] }] });
    const second = await contact.list(cloudID, { pageInfo: { pageNum: 2, pageSize: 1 } });
    expect(second).toMatchObject({ totalCount: 2 });
    expect(second.cloudContentList).toHaveLength(1);
  });

  test('creates one share when a request is repeated with its idempotency key', async () => {
    const [one = ''] = await files('one');
    const send = () =>
      owner.post<AuthorizedDto>(
        'authorize',
        { cloudID, userId: family.contact.id, contentIDList: [one] },
        { 'idempotency-key': `share-${cloudID}` },
      );
    expect((await send()).body.data).toEqual((await send()).body.data);
    expect((await known(owner)).totalCount).toBe(1);
  });

  test('a share ends when its contents are purged, or when the child whose watch added them is erased', async () => {
    const wrist = await CloudClient.create(server, family.watches[0] ?? family.owner);
    const childs = await wrist.uploadFile(cloudID, 'x', Buffer.from('x'));
    const [one = '', two = ''] = await files('one', 'two');
    await createShare({ contentIDList: [one] });
    await createShare({ contentIDList: [childs, two] });
    await server.publish('mcdisk', {
      name: 'mcdisk.content.purged',
      key: cloudID,
      payload: { cloudID, contentIDs: [one], by: null },
    });
    const payload = { familyId: cloudID, cid: family.cids[0] };
    await server.publish('userctx', { name: 'userctx.child.erased', key: cloudID, payload });
    expect((await known(owner)).authorizationList.map(({ contentIDList }) => contentIDList)).toEqual([[two]]);
  });
});
