import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { memberSnapshot, sampleFamily, createUser, watchPrincipal } from '../support/family.js';

const SAMPLE_BYTES = Buffer.from('bytes');

// Uses a separate server, because a test compares the whole directory of blobs.
describe('deleteContents', () => {
  const family = sampleFamily();
  const other = sampleFamily();
  const { cloudID } = family;
  let server: CloudServer;
  let owner: CloudClient;
  let stranger: CloudClient;

  const store = (client = owner, cloud = cloudID) => client.uploadFile(cloud, 'file', SAMPLE_BYTES);
  const stateOf = async (contentID: string) => {
    const rows = await server.unitOfWork.executor.query<{ state: string }>(
      'SELECT state FROM mcdisk.content WHERE content_id = $1',
      [contentID],
    );
    return rows[0]?.state;
  };

  beforeAll(async () => {
    server = await CloudServer.start();
    await server.publishFamily(family.snapshot);
    await server.publishFamily(other.snapshot);
    owner = await CloudClient.create(server, family.owner);
    stranger = await CloudClient.create(server, other.owner);
  });
  afterAll(() => server.stop());

  test('returns every distinct id in exactly one of the two lists, in request order', async () => {
    const [active, gone, foreign] = [await store(), await store(), await store(stranger, other.cloudID)];
    await owner.delete(cloudID, [gone]);
    const unknown = randomUUID();
    const ids = ['malformed', active, unknown, foreign, gone, active, '', active.toUpperCase(), '\ud800', 'malformed'];
    const { status, body } = await owner.delete(cloudID, ids);
    expect(status).toBe(200);
    expect(body).toEqual({
      code: 0,
      msg: 'ok',
      data: {
        deleteContIDList: [active, gone],
        failureContIDList: ['malformed', unknown, foreign, '', '\ud800'],
      },
    });
    expect([await stateOf(active), await stateOf(foreign)]).toEqual(['RECYCLED', 'ACTIVE']);
  });

  test('returns code 0 also when every id failed, and ignores an accessToken header', async () => {
    const id = randomUUID();
    const answer = await owner.post('deleteContents', { cloudID, contentIDList: [id] }, { accessToken: 'nonsense' });
    expect(answer.body).toMatchObject({ code: 0, data: { deleteContIDList: [], failureContIDList: [id] } });
  });

  test('moves contents to the recycle bin, keeps their blobs, publishes an event and updates the usage', async () => {
    const contentID = await store();
    const files = await readdir(join(server.dataDir, 'blobs'), { recursive: true });
    const before = await server.findSizes(cloudID);
    await owner.delete(cloudID, [contentID]);
    expect(await server.findSizes(cloudID)).toEqual({
      ...before,
      usedSize: before.usedSize - SAMPLE_BYTES.length,
      recycleSize: before.recycleSize + SAMPLE_BYTES.length,
    });
    expect(await readdir(join(server.dataDir, 'blobs'), { recursive: true })).toEqual(files);
    const [event] = await server.unitOfWork.executor.query<{ key: string; payload: unknown }>(
      `SELECT key, payload FROM mcdisk.outbox WHERE name = 'mcdisk.content.recycled' ORDER BY position DESC LIMIT 1`,
    );
    expect(event).toEqual({
      key: cloudID,
      payload: { cloudID, contentIDs: [contentID], by: `user:${family.owner.id}` },
    });
    expect((await owner.list(cloudID)).cloudContentList.map((content) => content.contentID)).not.toContain(contentID);
  });

  test('updates the usage once for identical concurrent requests', async () => {
    const contentID = await store();
    const before = await server.findSizes(cloudID);
    const answers = await Promise.all(Array.from({ length: 8 }, () => owner.delete(cloudID, [contentID])));
    expect(answers.map(({ body }) => body.data.deleteContIDList)).toEqual(answers.map(() => [contentID]));
    expect((await server.findSizes(cloudID)).usedSize).toBe(before.usedSize - SAMPLE_BYTES.length);
  });

  test('does not extend the retention of a content that is deleted again', async () => {
    const contentID = await store();
    await owner.delete(cloudID, [contentID]);
    const times = () =>
      server.unitOfWork.executor.query('SELECT recycled_at, purge_at FROM mcdisk.content WHERE content_id = $1', [
        contentID,
      ]);
    await server.unitOfWork.executor.query(
      'UPDATE mcdisk.content SET recycled_at = recycled_at - 1000, purge_at = purge_at - 1000 WHERE content_id = $1',
      [contentID],
    );
    const before = await times();
    expect((await owner.delete(cloudID, [contentID])).body.data.deleteContIDList).toEqual([contentID]);
    expect(await times()).toEqual(before);
  });

  test('deletes 1,000 contents in one request, whose events must be split to fit the outbox', async () => {
    const [{ blob_key: blob } = { blob_key: '' }] = await server.unitOfWork.executor.query<{ blob_key: string }>(
      `SELECT blob_key FROM mcdisk.blob WHERE state = 'LIVE' AND cloud_id = $1 LIMIT 1`,
      [cloudID],
    );
    const ids = Array.from({ length: 1_000 }, () => randomUUID());
    await server.unitOfWork.executor.query(
      `INSERT INTO mcdisk.content (content_id, cloud_id, blob_key, name, size, digest, type, media_type, uploader,
                                   state, created_at, updated_at)
       SELECT id, $2, $3, 'x', 0, '', 5, 'x/x', 'user:x', 'ACTIVE', 0, 0 FROM unnest($1::uuid[]) AS id`,
      [ids, cloudID, blob],
    );
    const { body } = await owner.delete(cloudID, ids);
    expect(body.data).toEqual({ deleteContIDList: ids, failureContIDList: [] });
  });

  describe('body validation', () => {
    test.each([
      [{ contentIDList: [] }],
      [{ contentIDList: Array.from({ length: 1_001 }, () => 'x') }],
      [{ contentIDList: 'x' }],
      [{ contentIDList: [1] }],
      [{ contentIDList: null }],
      [{}],
      [{ cloudID: '', contentIDList: ['x'] }],
      [{ cloudID: 7, contentIDList: ['x'] }],
      [{ cloudID: undefined, contentIDList: ['x'] }],
      [{ contentIDList: ['x'], cloudType: '1' }],
      [{ contentIDList: ['x'], path: 1 }],
      [{ contentIDList: ['x'], ticket: {} }],
      [{ contentIDList: ['x'], commonAccountInfo: { accountType: 'x' } }],
    ])('returns 400 for invalid body number %#, even to non-members', async (body) => {
      const answer = await stranger.post('deleteContents', { cloudID, ...body });
      expect([answer.status, answer.body.reason]).toEqual([400, 'VALIDATION_FAILED']);
    });

    test.each([{ cloudType: 2 }, { catalogType: 1 }, { cloudType: 1, catalogType: 0 }])(
      'rejects the unsupported types %j, even for non-members',
      async (types) => {
        const answer = await stranger.delete(cloudID, ['x'], types);
        expect([answer.status, answer.body.code, answer.body.data]).toEqual([400, 400010, null]);
      },
    );

    test('accepts the request body that family cloud clients send', async () => {
      const request = { commonAccountInfo: { accountType: 1 }, cloudType: 1, catalogType: 3, path: '', ticket: '' };
      expect((await owner.delete(cloudID, ['x'], request)).status).toBe(200);
    });
  });

  test('returns identical responses for foreign, unknown and malformed clouds', async () => {
    const contentID = await store();
    const answers = await Promise.all([
      stranger.delete(cloudID, [contentID]),
      stranger.delete(randomUUID(), [contentID]),
      stranger.delete('\u0000', ['x']).then(() => stranger.delete("' OR 1=1 --", [contentID])),
    ]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0].body).toMatchObject({ code: 404008, data: null, reason: 'CLOUD_NOT_FOUND' });
    expect(await stateOf(contentID)).toBe('ACTIVE');
  });

  describe('roles', () => {
    test.each(['owner', 'guardian'] as const)('deletes a content for the %s', async (role) => {
      const contentID = await store();
      const client = await CloudClient.create(server, family[role]);
      expect((await client.delete(cloudID, [contentID])).body.data.deleteContIDList).toEqual([contentID]);
    });

    test.each(['caregiver', 'contact'] as const)('returns every id as failed to the %s', async (role) => {
      const [active, gone] = [await store(), await store()];
      await owner.delete(cloudID, [gone]);
      const client = await CloudClient.create(server, family[role]);
      const { body } = await client.delete(cloudID, [active, gone]);
      expect(body).toMatchObject({ code: 0, data: { deleteContIDList: [], failureContIDList: [active, gone] } });
      expect(await stateOf(active)).toBe('ACTIVE');
    });

    test('deletes for a bound watch, and returns CLOUD_NOT_FOUND to a watch without family', async () => {
      const contentID = await store();
      const unbound = await CloudClient.create(server, watchPrincipal(4_711));
      expect((await unbound.delete(cloudID, [contentID])).status).toBe(404);
      const child = await CloudClient.create(server, family.watches[0]!);
      expect((await child.delete(cloudID, [contentID])).body.data.deleteContIDList).toEqual([contentID]);
    });

    test('returns contents of a child’s watch as failed to a guardian without permission for the child', async () => {
      const guardian = createUser();
      const divided = sampleFamily();
      divided.snapshot.members.push(
        memberSnapshot(guardian, FAMILY_ROLE.GUARDIAN, { childPermissions: { [divided.cids[1]]: [] } }),
      );
      await server.publishFamily(divided.snapshot);
      const [first, second] = await Promise.all(
        divided.watches.map(async (principal) => store(await CloudClient.create(server, principal), divided.cloudID)),
      );
      const client = await CloudClient.create(server, guardian);
      const listed = await client.list(divided.cloudID);
      expect(listed.cloudContentList.map(({ contentID }) => contentID)).toEqual([first]);
      const { body } = await client.delete(divided.cloudID, [second!, first!]);
      expect(body.data).toEqual({ deleteContIDList: [first], failureContIDList: [second] });
      const link = await client.post('getFileDownLoadURL', { cloudID: divided.cloudID, contentID: second });
      expect(link.body.reason).toBe('CONTENT_NOT_FOUND');
    });

    test('returns CLOUD_NOT_FOUND to a removed member', async () => {
      const shrunk = sampleFamily();
      await server.publishFamily(shrunk.snapshot);
      const guardian = await CloudClient.create(server, shrunk.guardian);
      expect((await guardian.delete(shrunk.cloudID, ['x'])).status).toBe(200);
      const members = shrunk.snapshot.members.filter(({ userId }) => userId !== shrunk.guardian.id);
      await server.publishFamily({ ...shrunk.snapshot, version: 3, members });
      // An older snapshot of the family that is received late changes nothing.
      await server.publishFamily({ ...shrunk.snapshot, version: 2 });
      expect((await guardian.delete(shrunk.cloudID, ['x'])).body.reason).toBe('CLOUD_NOT_FOUND');
    });
  });

  describe('path', () => {
    test.each(['', 'root:', 'root:/'])('deletes a content of the root folder with the path %j', async (path) => {
      const contentID = await store();
      expect((await owner.delete(cloudID, [contentID], { path })).body.data.deleteContIDList).toEqual([contentID]);
    });

    test.each(['root:/elsewhere', '/', '../', 'root', 'ROOT:', 'root://', 'root:/..'])(
      'returns the content as failed with the path %j',
      async (path) => {
        const contentID = await store();
        const { body } = await owner.delete(cloudID, [contentID], { path });
        expect(body.data.failureContIDList).toEqual([contentID]);
        expect(await stateOf(contentID)).toBe('ACTIVE');
      },
    );
  });

  test('returns each distinct id in exactly one list, in request order, for any mix of ids', async () => {
    const stored = await Promise.all(Array.from({ length: 12 }, () => store()));
    const foreign = await store(stranger, other.cloudID);
    const id = fc.oneof(fc.constantFrom(...stored, foreign), fc.uuid(), fc.string({ unit: 'binary', maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(fc.array(id, { minLength: 1, maxLength: 40 }), async (ids) => {
        const { body } = await owner.delete(cloudID, ids);
        const { deleteContIDList, failureContIDList } = body.data;
        const distinct = [...new Set(ids)];
        expect(deleteContIDList).toEqual(distinct.filter((each) => stored.includes(each)));
        expect(failureContIDList).toEqual(distinct.filter((each) => !stored.includes(each)));
      }),
      { numRuns: propertyRuns(8) },
    );
    expect(await stateOf(foreign)).toBe('ACTIVE');
  });

  test('returns 503 and changes nothing when the database fails', async () => {
    const contentID = await store();
    const before = await server.findSizes(cloudID);
    await server.withLockedRow('content', 'content_id', contentID, async () => {
      const answer = await owner.delete(cloudID, [contentID]);
      expect([answer.status, answer.body.reason, answer.body.data]).toEqual([503, 'DATABASE_UNAVAILABLE', null]);
      expect(answer.headers.get('retry-after')).not.toBeNull();
    });
    expect(await stateOf(contentID)).toBe('ACTIVE');
    expect(await server.findSizes(cloudID)).toEqual(before);
  });
});
