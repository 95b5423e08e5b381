import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { withFastClock } from '../support/fast-clock.js';
import type { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { watchPrincipal } from '../support/family.js';
import { findStates, seedContent, seedContents } from '../support/seeded-cloud.js';
import { addMember, createCloud, type TestCloud } from '../support/test-cloud.js';

// Uses a separate server, because a test compares the whole directory of blobs.
describe('deleteContents', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  let other: TestCloud;
  let stranger: CloudClient;

  beforeAll(async () => {
    ({ server, family, cloudID, owner } = await createCloud(await CloudServer.start()));
    other = await createCloud(server);
    stranger = other.owner;
  });
  afterAll(() => server.stop());

  const seed = () => seedContent(server, cloudID);
  const stateOf = async (contentID: string) => (await findStates(server, [contentID])).get(contentID);
  const lists = async (client: CloudClient, ids: unknown, more: object = {}, cloud = cloudID) =>
    (await client.delete(cloud, ids, more)).body.data;
  const deleted = (...deleteContIDList: string[]) => ({ deleteContIDList, failureContIDList: [] });
  const failed = (...failureContIDList: string[]) => ({ deleteContIDList: [], failureContIDList });

  test('returns every distinct id in exactly one of the two lists, in request order', async () => {
    const [active = '', gone = ''] = await seedContents(server, cloudID, 2);
    const foreign = await seedContent(server, other.cloudID);
    await owner.delete(cloudID, [gone]);
    const unknown = randomUUID();
    const ids = ['malformed', active, unknown, foreign, gone, active, '', active.toUpperCase(), '\ud800', 'malformed'];
    const { status, body } = await owner.delete(cloudID, ids);
    expect([status, body]).toEqual([
      200,
      {
        code: 0,
        msg: 'ok',
        data: {
          deleteContIDList: [active, gone],
          failureContIDList: ['malformed', unknown, foreign, '', '\ud800'],
        },
      },
    ]);
    expect([await stateOf(active), await stateOf(foreign)]).toEqual(['RECYCLED', 'ACTIVE']);
  });

  test('returns code 0 also when every id failed, and ignores an accessToken header', async () => {
    const id = randomUUID();
    const answer = await owner.post('deleteContents', { cloudID, contentIDList: [id] }, { accessToken: 'nonsense' });
    expect(answer.body).toMatchObject({ code: 0, data: failed(id) });
  });

  test('moves contents to the recycle bin, keeps their blobs, publishes an event and updates the usage', async () => {
    const contentID = await owner.uploadFile(cloudID, 'file', Buffer.from('bytes'));
    const files = await readdir(join(server.dataDir, 'blobs'), { recursive: true });
    const { usedSize, recycleSize, ...before } = await server.findSizes(cloudID);
    await owner.delete(cloudID, [contentID]);
    const after = { ...before, usedSize: usedSize - 5, recycleSize: recycleSize + 5 };
    expect(await server.findSizes(cloudID)).toEqual(after);
    expect(await readdir(join(server.dataDir, 'blobs'), { recursive: true })).toEqual(files);
    const [event] = await server.query(
      `SELECT key, payload FROM mcdisk.outbox WHERE name = 'mcdisk.content.recycled' ORDER BY position DESC LIMIT 1`,
    );
    const payload = { cloudID, contentIDs: [contentID], by: `user:${family.owner.id}` };
    expect(event).toEqual({ key: cloudID, payload });
    expect(await owner.listIds(cloudID)).not.toContain(contentID);
  });

  test('updates the usage once for identical concurrent requests', async () => {
    const contentID = await seed();
    const before = await server.findSizes(cloudID);
    const answers = await Promise.all(Array.from({ length: 8 }, () => lists(owner, [contentID])));
    expect(answers).toEqual(answers.map(() => deleted(contentID)));
    expect((await server.findSizes(cloudID)).usedSize).toBe(before.usedSize - 10);
  });

  test('does not extend the retention of a content that is deleted again', async () => {
    const contentID = await seed();
    await owner.delete(cloudID, [contentID]);
    const change = 'recycled_at = recycled_at - 1000, purge_at = purge_at - 1000';
    const [before] = await server.query(
      `UPDATE mcdisk.content SET ${change} WHERE content_id = $1 RETURNING recycled_at, purge_at`,
      [contentID],
    );
    expect(await lists(owner, [contentID])).toEqual(deleted(contentID));
    const times = 'SELECT recycled_at, purge_at FROM mcdisk.content WHERE content_id = $1';
    expect(await server.query(times, [contentID])).toEqual([before]);
  });

  test('deletes 1,000 contents in one request, whose events must be split to fit the outbox', async () => {
    const ids = await seedContents(server, cloudID, 1_000);
    expect(await lists(owner, ids)).toEqual(deleted(...ids));
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
      [{ cloudID: '\u0000', contentIDList: ['x'] }],
      [{ contentIDList: ['x'], cloudType: '1' }],
      [{ contentIDList: ['x'], path: 1 }],
      [{ contentIDList: ['x'], ticket: {} }],
      [{ contentIDList: ['x'], commonAccountInfo: { accountType: 'x' } }],
    ])('returns 400 for invalid body number %#, even to non-members', async (body) => {
      const answer = await stranger.post('deleteContents', { cloudID, ...body });
      expect([answer.status, answer.body.reason]).toEqual([400, 'VALIDATION_FAILED']);
    });

    test.each([{ cloudType: 2 }, { catalogType: -1 }, { cloudType: 0, catalogType: Number.MAX_SAFE_INTEGER }])(
      'accepts any cloudType and catalogType, of which the specification gives no meaning: %j',
      async (types) => {
        const contentID = await seed();
        const { status, body } = await owner.delete(cloudID, [contentID], types);
        expect([status, body.data]).toEqual([200, deleted(contentID)]);
      },
    );

    test('accepts the request body that family cloud clients send', async () => {
      const request = { commonAccountInfo: { accountType: 1 }, cloudType: 1, catalogType: 3, path: '', ticket: '' };
      expect((await owner.delete(cloudID, ['x'], request)).status).toBe(200);
    });
  });

  test('returns identical responses for foreign, unknown and malformed clouds', async () => {
    const contentID = await seed();
    const clouds = [cloudID, randomUUID(), "' OR 1=1 --"];
    const answers = await withFastClock(() => Promise.all(clouds.map((cloud) => stranger.delete(cloud, [contentID]))));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ code: 404008, data: null, reason: 'CLOUD_NOT_FOUND' });
    expect(await stateOf(contentID)).toBe('ACTIVE');
  });

  describe('roles', () => {
    test.each(['owner', 'guardian'] as const)('deletes a content for the %s', async (role) => {
      const contentID = await seed();
      expect(await lists(await server.as(family[role]), [contentID])).toEqual(deleted(contentID));
    });

    test.each(['caregiver', 'contact'] as const)('returns every id as failed to the %s', async (role) => {
      const [active, gone] = [await seed(), await seed()];
      await owner.delete(cloudID, [gone]);
      expect(await lists(await server.as(family[role]), [active, gone])).toEqual(failed(active, gone));
      expect(await stateOf(active)).toBe('ACTIVE');
    });

    test('deletes for a bound watch, and returns CLOUD_NOT_FOUND to a watch without family', async () => {
      const contentID = await seed();
      const unbound = await server.as(watchPrincipal(4_711));
      expect((await withFastClock(() => unbound.delete(cloudID, [contentID]))).status).toBe(404);
      expect(await lists(await server.as(family.watches[0]!), [contentID])).toEqual(deleted(contentID));
    });

    test('returns contents of a child’s watch as failed to a guardian without permission for the child', async () => {
      const divided = await createCloud(server);
      const { cids, watches } = divided.family;
      const client = await addMember(divided, FAMILY_ROLE.GUARDIAN, { childPermissions: { [cids[1]]: [] } });
      const [first = '', second = ''] = await Promise.all(
        watches.map(async (watch) => (await server.as(watch)).uploadFile(divided.cloudID, 'file', Buffer.from('x'))),
      );
      expect(await client.listIds(divided.cloudID)).toEqual([first]);
      expect(await lists(client, [second, first], {}, divided.cloudID)).toEqual({
        deleteContIDList: [first],
        failureContIDList: [second],
      });
      const link = await client.post('getFileDownLoadURL', { cloudID: divided.cloudID, contentID: second });
      expect(link.body.reason).toBe('CONTENT_NOT_FOUND');
    });

    test('returns CLOUD_NOT_FOUND to a removed member', async () => {
      const { family: shrunk, cloudID: id } = await createCloud(server);
      const guardian = await server.as(shrunk.guardian);
      expect((await guardian.delete(id, ['x'])).status).toBe(200);
      const members = shrunk.snapshot.members.filter(({ userId }) => userId !== shrunk.guardian.id);
      await server.publishFamily({ ...shrunk.snapshot, version: 3, members });
      // An older snapshot of the family that is received late changes nothing.
      await server.publishFamily({ ...shrunk.snapshot, version: 2 });
      const { body } = await withFastClock(() => guardian.delete(id, ['x']));
      expect(body.reason).toBe('CLOUD_NOT_FOUND');
    });
  });

  test('deletes only contents of the folder and its descendants that the path names', async () => {
    const top = await owner.createFolder(cloudID, 'top');
    const inner = await owner.createFolder(cloudID, 'inner', top);
    const id = await seedContent(server, cloudID, { parentFolderId: inner });
    const wrongPaths = ['root:/elsewhere', '/', '../', 'root', 'ROOT:', 'root://', 'root:/..', `root:/${inner}`];
    for (const path of [...wrongPaths, `root:/${top}/..`])
      expect(await lists(owner, [id], { path })).toEqual(failed(id));
    expect(await stateOf(id)).toBe('ACTIVE');
    for (const path of ['', 'root:', 'root:/', `root:/${top}`, `root:/${top}/${inner}/`]) {
      const contentID = await seedContent(server, cloudID, { parentFolderId: inner });
      expect(await lists(owner, [contentID], { path })).toEqual(deleted(contentID));
      expect(await stateOf(contentID)).toBe('RECYCLED');
    }
  });

  test('returns 503 and changes nothing when the database fails', async () => {
    const contentID = await seed();
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
