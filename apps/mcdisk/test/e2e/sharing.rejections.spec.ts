import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AuthorizationDto, AuthorizationListDto } from '@family-watch/domain/family-cloud/dto/authorization.dto';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';

describe('share request validation', () => {
  let server: CloudServer;
  let family: SampleFamily;
  let cloudID: string;
  let owner: CloudClient;
  let contact: CloudClient;

  beforeAll(async () => {
    server = await CloudServer.getShared();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    family = sampleFamily();
    cloudID = family.cloudID;
    await server.publishFamily(family.snapshot);
    owner = await CloudClient.create(server, family.owner);
    contact = await CloudClient.create(server, family.contact);
  });

  const authorize = (client: CloudClient, what: object, userId = family.contact.id) =>
    client.post<AuthorizationDto>('authorize', { cloudID, userId, ...what });

  async function createShare(what: object): Promise<string> {
    const { body, text } = await authorize(owner, what);
    if (body.code !== 0) throw new Error(text);
    return body.data.authorizationID;
  }

  const known = async (client: CloudClient) =>
    (await client.post<AuthorizationListDto>('queryAuthorization', { cloudID })).body.data;
  const listed = async () => (await contact.list(cloudID)).cloudContentList.map(({ contentID }) => contentID);
  const file = (name: string) => owner.uploadFile(cloudID, `${name}.txt`, Buffer.from(name));

  test('rejects requests to share by caregivers, contacts, watches and non-members', async () => {
    const one = await file('one');
    const authorizationID = await createShare({ contentIDList: [one] });
    for (const principal of [family.caregiver, family.contact]) {
      const client = await CloudClient.create(server, principal);
      expect((await authorize(client, { contentIDList: [one] })).body.reason).toBe('PERMISSION_MISSING');
      const revoked = await client.post('revokeAuthorization', { cloudID, authorizationID });
      expect(revoked.body.reason).toBe('PERMISSION_MISSING');
    }
    const [wrist, stranger] = await Promise.all([
      CloudClient.create(server, family.watches[0] ?? family.owner),
      CloudClient.create(server, sampleFamily().owner),
    ]);
    expect((await authorize(wrist, { contentIDList: [one] })).body.reason).toBe('FORBIDDEN');
    expect((await authorize(stranger, { contentIDList: [one] })).body.reason).toBe('CLOUD_NOT_FOUND');
    expect((await owner.post('queryAuthorization', { cloudID: randomUUID() })).body.reason).toBe('CLOUD_NOT_FOUND');
  });

  test('returns 404 for contents, members and shares of another family', async () => {
    const other = sampleFamily();
    await server.publishFamily(other.snapshot);
    const theirs = await CloudClient.create(server, other.owner);
    const foreign = await theirs.uploadFile(other.cloudID, 'x', Buffer.from('x'));
    const own = await file('own');
    expect((await authorize(owner, { contentIDList: [own, foreign] })).body.reason).toBe('CONTENT_NOT_FOUND');
    expect((await authorize(owner, { contentIDList: [own] }, other.contact.id)).body.reason).toBe('MEMBER_NOT_FOUND');
    const authorizationID = await createShare({ contentIDList: [own] });
    const revoked = await theirs.post('revokeAuthorization', { cloudID: other.cloudID, authorizationID });
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
    await server.unitOfWork.executor.query(
      `INSERT INTO mcdisk.share (authorization_id, cloud_id, grantee, created_by, created_at)
       SELECT gen_random_uuid(), $1, 'user:' || $2, 'user:' || $3, 1 FROM generate_series(1, 1000)`,
      [cloudID, family.contact.id, family.owner.id],
    );
    expect((await authorize(owner, { contentIDList: [one] })).body.reason).toBe('LIMIT_REACHED');
    await server.unitOfWork.executor.query(
      `UPDATE mcdisk.share SET expires_at = 2 WHERE authorization_id IN
         (SELECT authorization_id FROM mcdisk.share WHERE cloud_id = $1 LIMIT 1)`,
      [cloudID],
    );
    await createShare({ contentIDList: [one] });
  });
});
