import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { MediaGrantMonitor } from '../../src/sharing/granted-media.service.js';
import { ShareService } from '../../src/sharing/share.service.js';
import { withFastClock } from '../support/fast-clock.js';
import type { CloudClient } from '../support/cloud-client.js';
import { randomDid, type CloudServer } from '../support/cloud-server.js';
import { watchPrincipal, type SampleFamily } from '../support/family.js';
import { createCornersPicture, cornersOf, TEST_LOCATION_EXIF, findTestLocation } from '../support/pictures.js';
import { createCloud } from '../support/test-cloud.js';
import { moveMonotonicClock } from '../support/monotonic-clock.js';

const HOUR_MS = 60 * 60_000;
/** How long a request waits for a media grant. */
const WAIT_TIMEOUT_MS = 1_000;

describe('media between watches of friends', () => {
  let server: CloudServer;
  let mia: SampleFamily;
  let leo: SampleFamily;
  let friendshipId: string;
  let contentID: string;
  let friend: CloudClient;

  beforeEach(async () => {
    ({ server, family: mia } = await createCloud());
    ({ family: leo } = await createCloud());
    friendshipId = randomUUID();
    const sender = await server.as(mia.watches[0]!);
    contentID = await sender.uploadFile(mia.cloudID, 'x.txt', Buffer.from('Hi'));
    friend = await server.as(leo.watches[0]!);
    await befriend(1, true, Date.now() - 1_000);
  });
  afterEach(() => void jest.restoreAllMocks());

  const befriend = (version: number, active: boolean, time = Date.now()) => {
    const sides = [mia, leo].map(({ cloudID, cids, dids }) => ({ familyId: cloudID, cid: cids[0], did: dids[0] }));
    const payload = { friendshipId, version, active, time, sides };
    return server.publish('userctx', { name: 'userctx.friendship.changed', key: mia.cloudID, payload });
  };

  const grant = (changes: object = {}) =>
    server.publish('gateway', {
      name: 'gateway.media.granted',
      key: mia.cloudID,
      payload: {
        messageId: randomUUID(),
        familyId: mia.cloudID,
        contentIDs: [contentID],
        fromCid: mia.cids[0],
        toCid: leo.cids[0],
        toFamilyId: leo.cloudID,
        expiresAt: Date.now() + HOUR_MS,
        ...changes,
      },
    });

  const ask = (client: CloudClient, { cloudID }: SampleFamily = leo, variant = 1) =>
    client.post<{ downloadURL: string }>('getFileDownLoadURL', { cloudID, contentID, variant });

  /** Requests a content that is not granted. Moves the clock to the end of the wait for a grant. */
  const askUngranted = async (client = friend) => {
    const monitor = server.get(MediaGrantMonitor);
    const wait = jest.spyOn(monitor, 'waitForNext');
    const asked = ask(client);
    await waitUntil('the request to wait for a grant', () => wait.mock.calls.length > 0);
    moveMonotonicClock(WAIT_TIMEOUT_MS);
    monitor.recordGrants([contentID]);
    const { body } = await asked;
    jest.restoreAllMocks();
    return body.reason;
  };

  test('returns a URL for granted media only to the friend’s watch', async () => {
    await grant();
    expect(String(await friend.download(leo.cloudID, contentID))).toBe('Hi');
    for (const other of [leo.owner, leo.guardian, leo.watches[1]!]) {
      const answer = await ask(await server.as(other));
      expect(answer.body.reason).toBe('CONTENT_NOT_FOUND');
    }
    expect((await ask(await server.as(leo.contact))).body.reason).toBe('PERMISSION_MISSING');
    // The friend's watch has no access to the sender's cloud itself.
    expect((await withFastClock(() => ask(friend, mia))).body.reason).toBe('CLOUD_NOT_FOUND');
    for (const cloudID of [mia.cloudID, leo.cloudID]) {
      const info = await friend.post('queryContentInfo', { cloudID, contentID });
      expect(info.status).toBe(404);
    }
    expect((await friend.list(leo.cloudID)).totalCount).toBe(0);
    const deleted = await friend.delete(leo.cloudID, [contentID]);
    expect(deleted.body.data.deleteContIDList).toEqual([]);
  });

  test.each([
    ['audio', 'fLaC', true],
    ['a voice message in SILK', '#!SILK_V3\u0000', true],
    ['a document', '%PDF-1.7 /Author (Mia)', false],
    ['bytes of an unknown type', '\u0000\u0001\u0002', false],
  ])('for media whose metadata cannot be removed, a friend’s watch can open %s (%j): %s', async (_, bytes, opens) => {
    const sender = await server.as(mia.watches[0]!);
    contentID = await sender.uploadFile(mia.cloudID, 'file', Buffer.from(bytes));
    await grant({ contentIDs: [contentID] });
    if (opens) expect((await ask(friend)).body.code).toBe(0);
    else expect(await askUngranted()).toBe('CONTENT_NOT_FOUND');
  });

  test('waits for a grant whose event is received after the request', async () => {
    const monitor = server.get(MediaGrantMonitor);
    const waitForNext = monitor.waitForNext.bind(monitor);
    jest.spyOn(monitor, 'waitForNext').mockImplementation((id) => waitForNext(id, 20_000));
    const asked = ask(friend);
    await grant();
    expect((await asked).body.code).toBe(0);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['no media grant exists', async () => undefined],
    ['the media grant is for another child', () => grant({ toCid: leo.cids[1] })],
    ['the media grant has expired', () => grant({ expiresAt: Date.now() - 1 })],
    ['the media grant is for another cloud', () => grant({ familyId: leo.cloudID })],
    ['the children are not friends', async () => (await befriend(2, false), grant())],
    [
      'the friendship has ended according to a clock that is a minute behind',
      async () => (await befriend(2, false, Date.now() - 60_000), grant()),
    ],
    ['the media grant contains a malformed id', () => grant({ contentIDs: ['x'] })],
  ])('returns CONTENT_NOT_FOUND when %s', async (_, prepare) => {
    await prepare();
    expect(await askUngranted()).toBe('CONTENT_NOT_FOUND');
  });

  test.each<[string, () => Promise<unknown>]>([
    ['the friendship ends', () => befriend(2, false)],
    ['the friendship ends and starts again', async () => (await befriend(2, false), befriend(3, true, Date.now() + 1))],
    ['the content is deleted', async () => (await server.as(mia.owner)).delete(mia.cloudID, [contentID])],
    [
      'the family of the sender is dissolved',
      () => server.publishFamily({ ...mia.snapshot, version: 2, dissolved: true }),
    ],
    [
      'the watch is unbound from the child',
      () =>
        server.publishFamily({
          ...leo.snapshot,
          version: 2,
          children: leo.snapshot.children.map(({ cid }) => ({ cid, did: null })),
        }),
    ],
    ['the session of the watch ends', async () => server.revokeSession(leo.watches[0]!.sessionId)],
  ])('invalidates a URL immediately when %s', async (_, end) => {
    await grant();
    const link = await friend.createDownloadUrl(leo.cloudID, contentID);
    expect((await fetch(link)).status).toBe(200);
    await end();
    expect((await fetch(link)).status).toBe(404);
  });

  test('the recall of a message ends the grants of this message and no others', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    for (const messageId of [first, second]) await grant({ messageId });
    const link = await friend.createDownloadUrl(leo.cloudID, contentID);
    const recall = (messageId: string) =>
      server.publish('gateway', {
        name: 'gateway.media.grant-ended',
        key: mia.cloudID,
        payload: { messageId, familyId: mia.cloudID },
      });
    await recall(first);
    expect((await fetch(link)).status).toBe(200);
    await recall(second);
    expect((await fetch(link)).status).toBe(404);
  });

  test('returns a URL for a deleted content again after its restore', async () => {
    await grant();
    const owner = await server.as(mia.owner);
    await owner.delete(mia.cloudID, [contentID]);
    expect(await askUngranted()).toBe('CONTENT_NOT_FOUND');
    await owner.post('restoreContents', { cloudID: mia.cloudID, contentIDList: [contentID] });
    expect((await ask(friend)).body.code).toBe(0);
  });

  test('returns a URL to the new watch after the watch of the child is replaced', async () => {
    await grant();
    const did = randomDid();
    const children = leo.snapshot.children.map(({ cid }, index) => ({ cid, did: index === 0 ? did : null }));
    await server.publishFamily({ ...leo.snapshot, version: 2, children });
    expect((await withFastClock(() => ask(friend))).body.reason).toBe('CLOUD_NOT_FOUND');
    expect((await ask(await server.as(watchPrincipal(did)))).body.code).toBe(0);
  });

  test('deletes expired grants and keeps active ones', async () => {
    const rows = () => server.query('SELECT FROM mcdisk.media_grant WHERE content_id = $1', [contentID]);
    await grant();
    await grant({ expiresAt: Date.now() - 1 });
    const shares = server.get(ShareService);
    await shares.deleteExpired(Date.now());
    expect(await rows()).toHaveLength(1);
    expect((await ask(friend)).body.code).toBe(0);
    await shares.deleteExpired(Date.now() + 2 * HOUR_MS);
    expect(await rows()).toEqual([]);
  });

  test.each([
    ['sent the content', () => mia],
    ['received the content', () => leo],
  ])('deletes the media grants when the child who %s is erased', async (_, of) => {
    await grant();
    const { cloudID, cids } = of();
    const payload = { familyId: cloudID, cid: cids[0] };
    await server.publish('userctx', { name: 'userctx.child.erased', key: cloudID, payload });
    expect(await server.query('SELECT FROM mcdisk.media_grant WHERE content_id = $1', [contentID])).toEqual([]);
    expect(await server.query('SELECT FROM mcdisk.friendship WHERE friendship_id = $1', [friendshipId])).toEqual([]);
    expect(await askUngranted()).toBe('CONTENT_NOT_FOUND');
  });

  test.each(['', 'x', '../etc/passwd', 'A'.repeat(129), 7, null, {}, 'x\u0000'])('rejects contentID %p', async (id) => {
    const answer = await friend.post('getFileDownLoadURL', { cloudID: leo.cloudID, contentID: id });
    expect([400, 404]).toContain(answer.status);
  });

  test('downloads of a picture contain its location for the family, but not for contacts and friends', async () => {
    const picture = await createCornersPicture().withExif(TEST_LOCATION_EXIF).jpeg({ quality: 95 }).toBuffer();
    expect(findTestLocation(picture)).not.toEqual([]);
    const owner = await server.as(mia.owner);
    contentID = await owner.uploadFile(mia.cloudID, 'photo.jpg', picture);
    await owner.post('authorize', { cloudID: mia.cloudID, userId: mia.contact.id, contentIDList: [contentID] });
    await grant();
    const read = async (url: string, headers = {}) => Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
    for (const [client, family] of [
      [await server.as(mia.contact), mia],
      [friend, leo],
    ] as const) {
      const urlOf = (variant: number) =>
        waitUntilFound('the rendition to be ready', async () => {
          const { body } = await ask(client, family, variant);
          return body.code === 0 ? body.data.downloadURL : undefined;
        });
      const link = await urlOf(DOWNLOAD_VARIANT.ORIGINAL);
      for (const headers of [{}, { range: 'bytes=0-' }, { range: `bytes=0-${picture.length * 2}` }]) {
        const shown = await read(link, headers);
        expect(findTestLocation(shown)).toEqual([]);
        expect(await cornersOf(shown)).toBe('red green blue white');
      }
      expect(findTestLocation(await read(await urlOf(DOWNLOAD_VARIANT.THUMBNAIL)))).toEqual([]);
    }
    expect((await owner.download(mia.cloudID, contentID)).equals(picture)).toBe(true);
  });
});
