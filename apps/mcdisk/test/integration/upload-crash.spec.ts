import { createHash, randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { propertyRuns, sampleOf } from '@family-watch/testing/properties/property-runs';
import { CloudClient, putBytes } from '../support/cloud-client.js';
import type { DeathPoint } from '../support/crashing-cloud-process.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import { CloudProcess } from '../support/start-cloud-process.js';
import { offsetOf, patchUpload, tusUpload } from '../support/tus-requests.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const OF_BOTH: DeathPoint[] = [
  'while bytes are received',
  'after all bytes are staged',
  'before promoting',
  'after promoting',
  'before the commit',
  'after the commit, before the response',
];
const OF_TUS: DeathPoint[] = [
  'before the blob row is inserted',
  'after the blob row is inserted',
  'after bytes are durable, before progress is stored',
  'after progress is stored',
  ...OF_BOTH,
];

/** The first node outlives every other: it stands for the process that is started again. */
describe('kill -9', () => {
  let server: CloudServer;
  let owner: CloudClient;
  let cloudID: string;
  let expected: number;

  beforeAll(async () => {
    server = await CloudServer.start();
    const family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
    owner = await CloudClient.of(server, family.owner);
    expected = 0;
  });
  afterAll(() => server.stop());

  afterEach(async () => {
    const { usedSize, reservedSize } = await server.sizesOf(cloudID);
    const listed = await owner.list(cloudID, { pageInfo: { pageNum: 1, pageSize: 200 } });
    const there = listed.cloudContentList.reduce((sum, { contentSize }) => sum + contentSize, 0);
    expect([usedSize, reservedSize, there]).toEqual([expected, 0, expected]);
  });

  const announce = async (bytes: Buffer) => {
    const { body } = await owner.announce(cloudID, { contentName: 'film.mp4', contentSize: bytes.length });
    const { uploadTaskID, newContentIDList } = body.data.uploadResult;
    expected += bytes.length;
    return { uploadTaskID, ...newContentIDList[0]! };
  };

  const expectWhole = async (
    bytes: Buffer,
    { contentID, uploadTaskID }: { contentID: string; uploadTaskID: string },
  ) => {
    const content = Buffer.from(await (await fetch(await owner.linkTo(cloudID, contentID))).arrayBuffer());
    expect(sha256(content)).toBe(sha256(bytes));
    const receipts = await owner.post<{ contentList: { digest: string }[] }>('completeUpload', {
      cloudID,
      uploadTaskID,
    });
    expect(receipts.body.data.contentList).toMatchObject([{ digest: sha256(bytes) }]);
  };

  // Each point starts a process that loads the whole app: the fast run takes some of them.
  describe.each(sampleOf(OF_TUS, 2))('%s', (point) => {
    test('tus goes on', async () => {
      const bytes = randomBytes(300_000);
      const process_ = await CloudProcess.start(server, point);
      const upload = await announce(bytes);
      await expect(tusUpload(process_.at(upload.tusURL), bytes, { chunkSize: 200_000 }).done).rejects.toThrow();
      await process_.death();
      await leaseRunsOut(upload.contentID);
      await tusUpload(upload.tusURL, bytes).done;
      await expectWhole(bytes, upload);
    });
  });

  describe.each(sampleOf(OF_BOTH, 1))('%s', (point) => {
    test('one PUT is sent again, or is complete', async () => {
      const bytes = randomBytes(100_000);
      const process_ = await CloudProcess.start(server, point);
      const upload = await announce(bytes);
      await expect(putBytes(process_.at(upload.uploadURL), bytes)).rejects.toThrow();
      await process_.death();
      const again = await putBytes(upload.uploadURL, bytes);
      expect(again.status).toBe(point === 'after the commit, before the response' ? 409 : 200);
      await expectWhole(bytes, upload);
    });
  });

  test('a lease of the dead runs out by itself, and whoever waits gets it', async () => {
    const bytes = randomBytes(300_000);
    const process_ = await CloudProcess.start(server, 'after progress is stored');
    const upload = await announce(bytes);
    await expect(patchUpload(process_.at(upload.tusURL), 0, bytes.subarray(0, 100_000))).rejects.toThrow();
    await process_.death();
    expect(await offsetOf(upload.tusURL)).toBe(100_000);
    await tusUpload(upload.tusURL, bytes).done;
    await expectWhole(bytes, upload);
  });

  test('at any moment of one file', async () => {
    const bytes = randomBytes(12_000_000);
    const upload = await announce(bytes);
    for (let round = 0; round < propertyRuns(1); round += 1) {
      const process_ = await CloudProcess.start(server);
      const sending = tusUpload(process_.at(upload.tusURL), bytes, { chunkSize: 700_000 }).done.catch(() => undefined);
      await sleep(randomInt(400));
      await process_.kill();
      await sending;
      await leaseRunsOut(upload.contentID);
    }
    await tusUpload(upload.tusURL, bytes).done;
    await expectWhole(bytes, upload);
  });

  /** Nobody waits eight seconds in each of these tests; one of them does. */
  async function leaseRunsOut(contentID: string): Promise<void> {
    await server.unitOfWork.executor.query(
      'UPDATE mcdisk.upload SET lock_until = 0 WHERE content_id = $1 AND lock_holder IS NOT NULL',
      [contentID],
    );
  }
});
