import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sampleOf } from '@family-watch/testing/properties/property-runs';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { BlobStore } from '../../src/contexts/blobs/blob-store.js';
import { GarbageCollectionJob } from '../../src/contexts/garbage-collection/garbage-collection.job.js';
import { isStoreIdentityKey } from '../../src/contexts/garbage-collection/store-identity.service.js';
import { CleanupJob } from '../../src/contexts/cleanup/cleanup.job.js';
import { Fsck } from '../../src/contexts/fsck/fsck.js';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { COLLECTING, ENDING } from '../support/cleanup-process.plan.js';
import { sampleFamily } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';
import { CleanupProcess } from '../support/start-cleanup-process.js';
import { storeContent } from '../support/stored-content.js';
import type { StoredContent } from '../support/stored-content.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOTHING = { usedSize: 0, reservedSize: 0, recycleSize: 0 };

/** The first node outlives every other: it stands for the process that is started again. */
describe('kill -9', () => {
  let server: CloudServer;
  let store: BlobStore;
  let family: SampleFamily;
  let cloudID: string;
  let owner: CloudClient;

  beforeEach(async () => {
    server = await CloudServer.start();
    store = server.app.get(BlobStore, { strict: false });
    family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
    owner = await CloudClient.of(server, family.owner);
  });
  afterEach(() => server.stop());

  const collect = async (now: number) => server.app.get(GarbageCollectionJob, { strict: false }).run(now);
  const files = async () => {
    const keys: string[] = [];
    for await (const { key } of store.list()) if (!isStoreIdentityKey(key)) keys.push(key);
    return keys.toSorted();
  };
  const sizes = async () => {
    const { usedSize, reservedSize, recycleSize } = await server.sizesOf(cloudID);
    return { usedSize, reservedSize, recycleSize };
  };
  const faults = async () =>
    (await new Fsck(server.unitOfWork, store).run({ repair: false, sample: 10 }, Date.now() + MINUTE)).findings;
  const purge = async (contents: StoredContent[]) => {
    const contentIDList = contents.map(({ contentID }) => contentID);
    await owner.delete(cloudID, contentIDList);
    await owner.post('purgeContents', { cloudID, contentIDList });
  };
  /** A later round of any process, and one more for whatever was left half done. */
  const goOn = async () => {
    await collect(Date.now() + 8 * DAY);
    await collect(Date.now() + 8 * DAY + 11 * MINUTE);
  };
  const storeMany = (count: number) =>
    Promise.all(Array.from({ length: count }, () => storeContent(server, cloudID, { bytes: randomBytes(60) })));
  const atNode = (client: CloudClient, node: CleanupProcess) => client.at(node.url);

  // Each point starts a process that loads the whole app: the fast run takes some of them.
  test.each(sampleOf(COLLECTING, 1))('%s: what is to go goes, and nothing else', async (point) => {
    const [kept, ...doomed] = await storeMany(4);
    await purge(doomed);
    const node = await CleanupProcess.start(server, point, Date.now() + 8 * DAY);
    expect(await node.death).toBe('SIGKILL');
    await goOn();
    expect(await files()).toEqual([kept!.key]);
    expect(await faults()).toEqual([]);
    expect(await (await fetch(await owner.linkTo(cloudID, kept!.contentID))).bytes()).toEqual(
      new Uint8Array(kept!.bytes),
    );
  });

  test.each(sampleOf(['after recycling, before the commit', 'after recycling, before the response'] as const, 1))(
    '%s: a retry converges',
    async (point) => {
      const contents = await storeMany(3);
      const contentIDList = contents.map(({ contentID }) => contentID);
      const node = await CleanupProcess.start(server, point);
      await expect(atNode(owner, node).delete(cloudID, contentIDList)).rejects.toThrow();
      expect(await node.death).toBe('SIGKILL');
      const wasCommitted = point === 'after recycling, before the response';
      expect((await sizes()).recycleSize).toBe(wasCommitted ? 180 : 0);
      expect((await owner.delete(cloudID, contentIDList)).body.data).toEqual({
        deleteContIDList: contentIDList,
        failureContIDList: [],
      });
      expect(await sizes()).toEqual({ ...NOTHING, recycleSize: 180 });
      expect(await faults()).toEqual([]);
    },
  );

  test.each(sampleOf(['after purging, before the response', 'after purging, before the commit'] as const, 1))(
    '%s: a retry converges',
    async (point) => {
      const [kept, ...contents] = await storeMany(4);
      const contentIDList = contents.map(({ contentID }) => contentID);
      await owner.delete(cloudID, contentIDList);
      const node = await CleanupProcess.start(server, point);
      await expect(atNode(owner, node).post('purgeContents', { cloudID, contentIDList })).rejects.toThrow();
      expect(await node.death).toBe('SIGKILL');
      expect((await sizes()).recycleSize).toBe(point === 'after purging, before the response' ? 0 : 180);
      const again = await owner.post('purgeContents', { cloudID, contentIDList });
      expect(again.body.data['purgeContIDList']).toEqual(contentIDList);
      expect(await sizes()).toEqual({ ...NOTHING, usedSize: 60 });
      await goOn();
      expect(await files()).toEqual([kept!.key]);
      expect(await faults()).toEqual([]);
    },
  );

  test('while a bin is emptied: another process goes on', async () => {
    const kept = await storeContent(server, cloudID);
    const contents = await storeMany(250);
    await owner.delete(
      cloudID,
      contents.map(({ contentID }) => contentID),
    );
    const node = await CleanupProcess.start(server, 'while a recycle bin is emptied');
    await atNode(owner, node).post('purgeContents', { cloudID, all: true });
    expect(await node.death).toBe('SIGKILL');
    await owner.post('purgeContents', { cloudID, all: true });
    await waitFor(async () => expect((await sizes()).recycleSize).toBe(0));
    for (let round = 0; round < 3; round += 1) await goOn();
    expect(await files()).toEqual([kept.key]);
    expect(await faults()).toEqual([]);
  });

  test.each(sampleOf(ENDING, 1))('%s of the end of a family: another process goes on', async (point) => {
    const other = sampleFamily();
    await server.familyChanged(other.snapshot);
    const kept = await storeContent(server, other.cloudID);
    await storeMany(5);
    await owner.post('createCloudDoc', { cloudID, catalogName: 'Holidays' });
    await server.familyChanged({ ...family.snapshot, version: 2, dissolved: true, members: [], children: [] });
    const node = await CleanupProcess.start(server, point, Date.now() + 31 * DAY);
    expect(await node.death).toBe('SIGKILL');
    await waitFor(async () => {
      await server.app.get(CleanupJob, { strict: false }).run(Date.now() + 31 * DAY);
      expect(await server.unitOfWork.executor.query('SELECT FROM mcdisk.ending')).toEqual([]);
    });
    expect(await sizes()).toEqual(NOTHING);
    await collect(Date.now() + 40 * DAY);
    expect(await files()).toEqual([kept.key]);
    expect(await faults()).toEqual([]);
  });
});
