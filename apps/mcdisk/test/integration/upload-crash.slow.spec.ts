import { createHash, randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { propertyRuns, sampleOf } from '@family-watch/testing/properties/property-runs';
import { putBytes } from '../support/cloud-client.js';
import type { CrashPoint } from '../support/crashing-cloud-process.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { CloudProcess } from '../support/start-cloud-process.js';
import { offsetOf, patchUpload, tusUpload } from '../support/tus-requests.js';

/** How long a request waits for a lease. */
const ACQUIRE_TIMEOUT_MS = 10_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const COMMON_CRASH_POINTS: CrashPoint[] = [
  'while bytes are received',
  'after all bytes are stored',
  'before the commit',
  'after the commit, before the response',
];
const TUS_CRASH_POINTS: CrashPoint[] = [
  'before the blob row is inserted',
  'after the blob row is inserted',
  'after bytes are durable, before progress is stored',
  'after progress is stored',
  'before promoting',
  'after promoting',
  ...COMMON_CRASH_POINTS,
];

/** A second process crashes. The first node keeps running and acts as the restarted process. */
describe('process crash', () => {
  let { server, cloudID, owner } = {} as TestCloud;
  let expected = 0;

  beforeAll(async () => {
    ({ server, cloudID, owner } = await createCloud(await CloudServer.start()));
  });
  afterAll(() => server.stop());

  afterEach(async () => {
    const { usedSize, reservedSize } = await server.findSizes(cloudID);
    const listed = await owner.list(cloudID, { pageInfo: { pageNum: 1, pageSize: 200 } });
    const listedBytes = listed.cloudContentList.reduce((sum, { contentSize }) => sum + contentSize, 0);
    expect([usedSize, reservedSize, listedBytes]).toEqual([expected, 0, expected]);
  });

  const announce = (bytes: Buffer) => {
    expected += bytes.length;
    return owner.announceFile(cloudID, bytes.length);
  };

  const expectComplete = async (bytes: Buffer, upload: { contentID: string; uploadTaskID: string }) => {
    expect(sha256(await owner.download(cloudID, upload.contentID))).toBe(sha256(bytes));
    const receipts = await owner.completeUpload(cloudID, upload.uploadTaskID);
    expect(receipts).toMatchObject([{ digest: sha256(bytes) }]);
  };

  // Each crash point starts a process that loads the whole app, so the fast run tests only some crash points.
  test.each(sampleOf(TUS_CRASH_POINTS, 2))(
    '%s: an interrupted tus upload resumes and completes',
    async (crashPoint) => {
      const bytes = randomBytes(300_000);
      const node = await CloudProcess.start(server, crashPoint);
      const upload = await announce(bytes);
      await expect(tusUpload(node.urlOnNode(upload.tusURL), bytes, { chunkSize: 200_000 }).done).rejects.toThrow();
      await node.exitSignal;
      await expireLease(upload.contentID);
      await tusUpload(upload.tusURL, bytes).done;
      await expectComplete(bytes, upload);
    },
  );

  test.each(sampleOf(COMMON_CRASH_POINTS, 1))(
    '%s: an interrupted PUT can be repeated, or is complete if the crash followed the commit',
    async (crashPoint) => {
      const bytes = randomBytes(100_000);
      const node = await CloudProcess.start(server, crashPoint);
      const upload = await announce(bytes);
      await expect(putBytes(node.urlOnNode(upload.uploadURL), bytes)).rejects.toThrow();
      await node.exitSignal;
      const repeated = await putBytes(upload.uploadURL, bytes);
      expect(repeated.status).toBe(crashPoint === 'after the commit, before the response' ? 409 : 200);
      await expectComplete(bytes, upload);
    },
  );

  test('the lease of a crashed process expires, and a waiting request acquires it', async () => {
    const bytes = randomBytes(300_000);
    const node = await CloudProcess.start(server, 'after progress is stored');
    const upload = await announce(bytes);
    await expect(patchUpload(node.urlOnNode(upload.tusURL), 0, bytes.subarray(0, 100_000))).rejects.toThrow();
    await node.exitSignal;
    expect(await shortenLease(upload.contentID)).toBeLessThan(ACQUIRE_TIMEOUT_MS);
    expect(await offsetOf(upload.tusURL)).toBe(100_000);
    await tusUpload(upload.tusURL, bytes).done;
    await expectComplete(bytes, upload);
  });

  test('an upload completes after its process is killed at random moments', async () => {
    const bytes = randomBytes(12_000_000);
    const upload = await announce(bytes);
    for (let round = 0; round < propertyRuns(1); round += 1) {
      const node = await CloudProcess.start(server);
      const sending = tusUpload(node.urlOnNode(upload.tusURL), bytes, { chunkSize: 700_000 }).done.catch(
        () => undefined,
      );
      await sleep(randomInt(400));
      await node.kill();
      await sending;
      await expireLease(upload.contentID);
    }
    await tusUpload(upload.tusURL, bytes).done;
    await expectComplete(bytes, upload);
  });

  /** Shortens the lease by seven of its eight seconds. Returns how long the lease was valid before, in milliseconds. */
  async function shortenLease(contentID: string): Promise<number | undefined> {
    const [lease] = await server.query<{ remainingMs: number }>(
      `UPDATE mcdisk.upload SET lock_until = lock_until - 7000 WHERE content_id = $1 AND lock_holder IS NOT NULL
        RETURNING lock_until + 7000 - ${DATABASE_NOW_MS_SQL} AS "remainingMs"`,
      [contentID],
    );
    return lease?.remainingMs;
  }

  /** Expires the lease immediately, so that the test does not wait until the lease expires by itself. */
  async function expireLease(contentID: string): Promise<void> {
    await server.query('UPDATE mcdisk.upload SET lock_until = 0 WHERE content_id = $1 AND lock_holder IS NOT NULL', [
      contentID,
    ]);
  }
});
