import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { sampleOf } from '@family-watch/testing/properties/property-runs';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { GarbageCollectionService } from '../../src/storage/garbage-collection/garbage-collection.service.js';
import { EMPTYING_JOB, RecycleBinService } from '../../src/files/recycle-bin/recycle-bin.service.js';
import { findInconsistencies, finishCleanup } from '../support/cleanup.js';
import { CloudServer, NO_USAGE } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import type { CrashPoint } from '../support/crashing-cloud-process.js';
import { CloudProcess } from '../support/start-cloud-process.js';
import { storeContent, findStoredKeys, type StoredContent } from '../support/stored-content.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const COLLECTION_CRASH_POINTS: CrashPoint[] = [
  'after condemned blobs are locked',
  'after the decision, before the commit',
  'after the commit, before bytes are deleted',
  'while bytes are deleted',
  'before blobs are marked gone',
  'after blobs are marked gone',
  'after the generation is incremented, before it is written',
  'while the generation is written',
];
const FAMILY_CLEANUP_CRASH_POINTS: CrashPoint[] = [
  'while contents are recycled',
  'between two cleanup steps',
  'before the last rows are deleted',
  'after the last rows are deleted',
];

/** A second process crashes. The first node keeps running and acts as the restarted process. */
describe('process crash', () => {
  let { family, cloudID, owner } = {} as TestCloud;
  let server: CloudServer;

  beforeEach(async () => {
    server = await CloudServer.start();
    ({ family, cloudID, owner } = await createCloud(server));
  });
  afterEach(() => server.stop());

  const collect = async (now: number) => server.get(GarbageCollectionService).run(now);
  const storedKeys = () => findStoredKeys(server);
  const sizes = () => server.findUsage(cloudID);
  const purge = async (contents: StoredContent[]) => {
    const contentIDList = contents.map(({ contentID }) => contentID);
    await owner.delete(cloudID, contentIDList);
    await owner.post('purgeContents', { cloudID, contentIDList });
  };
  /** Runs garbage collection after the grace period, and once more for unfinished deletions. */
  const collectLater = async () => {
    await collect(Date.now() + 8 * DAY_MS);
    await collect(Date.now() + 8 * DAY_MS + 11 * MINUTE_MS);
  };
  const storeMany = (count: number) =>
    Promise.all(Array.from({ length: count }, () => storeContent(server, cloudID, { bytes: randomBytes(60) })));
  const atNode = (node: CloudProcess) => owner.forNode(node.url);

  // Each crash point starts a process that loads the whole app, so the fast run tests only some crash points.
  test.each(sampleOf(COLLECTION_CRASH_POINTS, 1))(
    'after a crash %s, another process deletes the condemned blobs and nothing else',
    async (crashPoint) => {
      const [remaining, ...purged] = await storeMany(4);
      await purge(purged);
      const node = await CloudProcess.start(server, crashPoint, Date.now() + 8 * DAY_MS);
      expect(await node.exitSignal).toBe('SIGKILL');
      await collectLater();
      expect(await storedKeys()).toEqual([remaining!.key]);
      expect(await findInconsistencies(server, 10)).toEqual([]);
      expect(await (await fetch(await owner.createDownloadUrl(cloudID, remaining!.contentID))).bytes()).toEqual(
        new Uint8Array(remaining!.bytes),
      );
    },
  );

  test.each(sampleOf(['after recycling, before the commit', 'after recycling, before the response'] as const, 1))(
    'after a crash %s, a repeated deleteContents request succeeds',
    async (crashPoint) => {
      const contents = await storeMany(3);
      const contentIDList = contents.map(({ contentID }) => contentID);
      const node = await CloudProcess.start(server, crashPoint);
      await expect(atNode(node).delete(cloudID, contentIDList)).rejects.toThrow();
      expect(await node.exitSignal).toBe('SIGKILL');
      const wasCommitted = crashPoint === 'after recycling, before the response';
      expect((await sizes()).recycleSize).toBe(wasCommitted ? 180 : 0);
      expect((await owner.delete(cloudID, contentIDList)).body.data).toEqual({
        deleteContIDList: contentIDList,
        failureContIDList: [],
      });
      expect(await sizes()).toEqual({ ...NO_USAGE, recycleSize: 180 });
      expect(await findInconsistencies(server, 10)).toEqual([]);
    },
  );

  test.each(sampleOf(['after purging, before the response', 'after purging, before the commit'] as const, 1))(
    'after a crash %s, a repeated purgeContents request succeeds',
    async (crashPoint) => {
      const [remaining, ...contents] = await storeMany(4);
      const contentIDList = contents.map(({ contentID }) => contentID);
      await owner.delete(cloudID, contentIDList);
      const node = await CloudProcess.start(server, crashPoint);
      await expect(atNode(node).post('purgeContents', { cloudID, contentIDList })).rejects.toThrow();
      expect(await node.exitSignal).toBe('SIGKILL');
      expect((await sizes()).recycleSize).toBe(crashPoint === 'after purging, before the response' ? 0 : 180);
      const repeated = await owner.post('purgeContents', { cloudID, contentIDList });
      expect(repeated.body.data['purgeContIDList']).toEqual(contentIDList);
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 60 });
      await collectLater();
      expect(await storedKeys()).toEqual([remaining!.key]);
      expect(await findInconsistencies(server, 10)).toEqual([]);
    },
  );

  test('after a crash while a recycle bin is emptied, another process empties this recycle bin completely', async () => {
    const remaining = await storeContent(server, cloudID);
    const contents = await storeMany(250);
    await owner.delete(
      cloudID,
      contents.map(({ contentID }) => contentID),
    );
    // The job of the first node could otherwise empty the recycle bin before the second node does.
    await server.get(JobScheduler).stop(EMPTYING_JOB);
    const node = await CloudProcess.start(server, 'while a recycle bin is emptied');
    await atNode(node).post('purgeContents', { cloudID, all: true });
    expect(await node.exitSignal).toBe('SIGKILL');
    await owner.post('purgeContents', { cloudID, all: true });
    await waitFor(async () => {
      await server.get(RecycleBinService).emptyRequestedBins();
      expect((await sizes()).recycleSize).toBe(0);
    });
    for (let round = 0; round < 3; round += 1) await collectLater();
    expect(await storedKeys()).toEqual([remaining.key]);
    expect(await findInconsistencies(server, 10)).toEqual([]);
  });

  test.each(sampleOf(FAMILY_CLEANUP_CRASH_POINTS, 1))(
    'after a crash %s, during the cleanup of a dissolved family, another process completes the cleanup',
    async (crashPoint) => {
      const other = await createCloud(server);
      const remaining = await storeContent(server, other.cloudID);
      await storeMany(5);
      await owner.post('createCloudDoc', { cloudID, catalogName: 'Holidays' });
      await server.publishFamily({ ...family.snapshot, version: 2, dissolved: true, members: [], children: [] });
      const node = await CloudProcess.start(server, crashPoint, Date.now() + 31 * DAY_MS);
      expect(await node.exitSignal).toBe('SIGKILL');
      await finishCleanup(server, Date.now() + 31 * DAY_MS);
      expect(await server.query('SELECT FROM mcdisk.ending')).toEqual([]);
      expect(await sizes()).toEqual(NO_USAGE);
      await collect(Date.now() + 40 * DAY_MS);
      expect(await storedKeys()).toEqual([remaining.key]);
      expect(await findInconsistencies(server, 10)).toEqual([]);
    },
  );
});
