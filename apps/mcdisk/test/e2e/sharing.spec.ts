import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { AuthorizationListDto, AuthorizedDto } from '@family-watch/domain/family-cloud/dto/authorization.dto';
import { ShareService } from '../../src/sharing/share.service.js';
import { withFastClock } from '../support/fast-clock.js';
import type { CloudClient } from '../support/cloud-client.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { memberSnapshot, sampleFamily } from '../support/family.js';

const HOUR_MS = 60 * 60_000;

describe('shares with a contact', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  let guardian: CloudClient;
  let contact: CloudClient;

  beforeEach(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
    [guardian, contact] = [await server.as(family.guardian), await server.as(family.contact)];
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
  const listed = () => contact.listIds(cloudID);
  const linkOf = (client: CloudClient, contentID: string) => client.post('getFileDownLoadURL', { cloudID, contentID });
  const file = (name: string) => owner.uploadFile(cloudID, `${name}.txt`, Buffer.from(name));

  test('a contact can list, inspect and download only the shared contents', async () => {
    const [one, two] = [await file('one'), await file('two')];
    expect(await listed()).toEqual([]);
    const authorizationID = await createShare({ contentIDList: [one, one] });
    expect(await listed()).toEqual([one]);
    const info = await contact.post('queryContentInfo', { cloudID, contentID: one });
    expect(info.body.data).toMatchObject({ contentID: one, parentCatalogID: '', path: 'root:' });
    expect(String(await contact.download(cloudID, one))).toBe('one');
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
    expect(await known(await server.as(family.caregiver))).toEqual({
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
    const plain = await file('plain');
    const authorized = (what: object) => authorize(owner, what).then(({ body }) => body.data);
    expect(await authorized({ contentIDList: [plain, contentID] })).toMatchObject({ metadataRemoved });
    const photoID = await owner.createAlbum(cloudID);
    expect(await authorized({ photoID })).toMatchObject({ metadataRemoved: true });
    await owner.post('addPhotoContents', { cloudID, photoID, contentIDList: [contentID] });
    expect(await authorized({ photoID })).toMatchObject({ metadataRemoved });
    expect(String(await contact.download(cloudID, contentID))).toBe(bytes);
  });

  test('revoking a share invalidates its download URLs immediately', async () => {
    const one = await file('one');
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
    const top = await owner.createFolder(cloudID, 'top');
    const below = await owner.createFolder(cloudID, 'below', top);
    await createShare({ catalogID: top });
    const [one, two] = [await file('one'), await file('two')];
    const put = (id: string, catalog: string | null) =>
      server.query('UPDATE mcdisk.content SET parent_catalog_id = $2 WHERE content_id = $1', [id, catalog]);
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
    const [one, two] = [await file('one'), await file('two')];
    const photoID = await owner.createAlbum(cloudID);
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
    const one = await file('one');
    await createShare({ contentIDList: [one] });
    await owner.delete(cloudID, [one]);
    expect(await listed()).toEqual([]);
    expect((await linkOf(contact, one)).body.reason).toBe('PERMISSION_MISSING');
    await owner.post('restoreContents', { cloudID, contentIDList: [one] });
    expect(await listed()).toEqual([one]);
  });

  test('a share ends permanently when its creator or its recipient leaves the family', async () => {
    const one = await file('one');
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
    const watches = await server.as(family.watches[0]!);
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
    const one = await file('one');
    const id = await createShare({ contentIDList: [one], expireTime: Date.now() + HOUR_MS });
    expect(await listed()).toEqual([one]);
    const link = await contact.createDownloadUrl(cloudID, one);
    await server.query('UPDATE mcdisk.share SET expires_at = $2 WHERE authorization_id = $1', [id, Date.now()]);
    expect(await listed()).toEqual([]);
    expect((await fetch(link)).status).toBe(404);
    expect((await known(owner)).totalCount).toBe(0);
  });

  test('deletes a share that was created while a member left, and no others', async () => {
    const one = await file('one');
    const kept = await createShare({ contentIDList: [one] });
    const late = await createShare({ contentIDList: [one] });
    const rename = 'UPDATE mcdisk.share SET grantee = $2 WHERE authorization_id = $1';
    await server.query(rename, [late, 'user:who-left']);
    await server.get(ShareService).deleteExpired(Date.now());
    const { authorizationList } = await known(owner);
    expect(authorizationList.map(({ authorizationID }) => authorizationID)).toEqual([kept]);
  });

  test('lists each shared content once, newest first, in pages', async () => {
    const [one, two] = [await file('one'), await file('two')];
    const ids = [await createShare({ contentIDList: [one] }), await createShare({ contentIDList: [one, two] })];
    const page = await known(contact, { pageInfo: { pageNum: 2, pageSize: 1 } });
    expect(page).toMatchObject({ totalCount: 2, authorizationList: [{ authorizationID: ids[0] }] });
    const second = await contact.list(cloudID, { pageInfo: { pageNum: 2, pageSize: 1 } });
    expect(second).toMatchObject({ totalCount: 2 });
    expect(second.cloudContentList).toHaveLength(1);
  });

  test('creates one share when a request is repeated with its idempotency key', async () => {
    const one = await file('one');
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
    const wrist = await server.as(family.watches[0]!);
    const childs = await wrist.uploadFile(cloudID, 'x', Buffer.from('x'));
    const [one, two] = [await file('one'), await file('two')];
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

  test('rejects requests to share by caregivers, contacts, watches and non-members', async () => {
    const one = await file('one');
    const authorizationID = await createShare({ contentIDList: [one] });
    for (const principal of [family.caregiver, family.contact]) {
      const client = await server.as(principal);
      expect((await authorize(client, { contentIDList: [one] })).body.reason).toBe('PERMISSION_MISSING');
      const revoked = await client.post('revokeAuthorization', { cloudID, authorizationID });
      expect(revoked.body.reason).toBe('PERMISSION_MISSING');
    }
    const [wrist, stranger] = await Promise.all([server.as(family.watches[0]!), server.as(sampleFamily().owner)]);
    expect((await authorize(wrist, { contentIDList: [one] })).body.reason).toBe('FORBIDDEN');
    const answers = await withFastClock(() =>
      Promise.all([
        authorize(stranger, { contentIDList: [one] }),
        owner.post('queryAuthorization', { cloudID: randomUUID() }),
      ]),
    );
    expect(answers.map(({ body }) => body.reason)).toEqual(['CLOUD_NOT_FOUND', 'CLOUD_NOT_FOUND']);
  });

  test('returns 404 for contents, members and shares of another family', async () => {
    const other = await createCloud(server);
    const foreign = await other.owner.uploadFile(other.cloudID, 'x', Buffer.from('x'));
    const own = await file('own');
    expect((await authorize(owner, { contentIDList: [own, foreign] })).body.reason).toBe('CONTENT_NOT_FOUND');
    expect((await authorize(owner, { contentIDList: [own] }, other.family.contact.id)).body.reason).toBe(
      'MEMBER_NOT_FOUND',
    );
    const authorizationID = await createShare({ contentIDList: [own] });
    const revoked = await other.owner.post('revokeAuthorization', { cloudID: other.cloudID, authorizationID });
    expect(revoked.body.reason).toBe('AUTHORIZATION_NOT_FOUND');
    expect(await listed()).toEqual([own]);
  });

  test.each<[string, object, string]>([
    ['no items', {}, 'VALIDATION_FAILED'],
    ['a folder together with an album', { catalogID: randomUUID(), photoID: randomUUID() }, 'VALIDATION_FAILED'],
    ['an expiry in the past', { photoID: randomUUID(), expireTime: 1 }, 'VALIDATION_FAILED'],
    ['an expiry that is not a number', { photoID: randomUUID(), expireTime: '9' }, 'VALIDATION_FAILED'],
    ['an empty list of contents', { contentIDList: [] }, 'VALIDATION_FAILED'],
    ['a list of contents that is not an array', { contentIDList: 'x' }, 'VALIDATION_FAILED'],
    ['201 contents', { contentIDList: Array.from({ length: 201 }, () => randomUUID()) }, 'VALIDATION_FAILED'],
    ['a content id of 129 characters', { contentIDList: ['x'.repeat(129)] }, 'VALIDATION_FAILED'],
    ['content ids that are numbers', { contentIDList: [1] }, 'VALIDATION_FAILED'],
    ['an unknown content', { contentIDList: [randomUUID()] }, 'CONTENT_NOT_FOUND'],
    ['malformed content ids', { contentIDList: ['../x', 'x\u0000'] }, 'CONTENT_NOT_FOUND'],
    ['an unknown folder', { catalogID: randomUUID() }, 'CATALOG_NOT_FOUND'],
    ['a malformed folder id', { catalogID: '../x' }, 'CATALOG_NOT_FOUND'],
    ['the root folder', { catalogID: '' }, 'VALIDATION_FAILED'],
    ['an unknown album', { photoID: randomUUID() }, 'ALBUM_NOT_FOUND'],
    ['an unsupported cloud type', { photoID: 'x', cloudType: 2 }, 'CLOUD_TYPE_UNSUPPORTED'],
    ['a user who is not a member', { photoID: 'x', userId: 'x' }, 'MEMBER_NOT_FOUND'],
    ['a user id that contains NUL', { photoID: 'x', userId: 'x\u0000' }, 'VALIDATION_FAILED'],
  ])('rejects a request with %s and creates no share', async (_, what, reason) => {
    expect((await authorize(owner, what)).body.reason).toBe(reason);
    expect((await known(owner)).totalCount).toBe(0);
  });

  test.each(['', 'x', '../x', 'A'.repeat(129), 7, null, [], 'x\u0000'])('revokes no share for id %p', async (id) => {
    const answer = await owner.post('revokeAuthorization', { cloudID, authorizationID: id });
    expect(['VALIDATION_FAILED', 'AUTHORIZATION_NOT_FOUND']).toContain(answer.body.reason);
  });

  test('rejects new shares in a cloud with 1,000 shares until some have ended', async () => {
    const one = await file('one');
    await server.query(
      `INSERT INTO mcdisk.share (authorization_id, cloud_id, grantee, created_by, created_at)
       SELECT gen_random_uuid(), $1, 'user:' || $2, 'user:' || $3, 1 FROM generate_series(1, 1000)`,
      [cloudID, family.contact.id, family.owner.id],
    );
    expect((await authorize(owner, { contentIDList: [one] })).body.reason).toBe('LIMIT_REACHED');
    await server.query(
      `UPDATE mcdisk.share SET expires_at = 2 WHERE authorization_id IN
         (SELECT authorization_id FROM mcdisk.share WHERE cloud_id = $1 LIMIT 1)`,
      [cloudID],
    );
    await createShare({ contentIDList: [one] });
  });
});
