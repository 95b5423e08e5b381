import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { GarbageCollectionService } from '../../src/storage/garbage-collection/garbage-collection.service.js';
import { findStoredKeys } from '../support/stored-content.js';
import { putBytes, type CloudClient } from '../support/cloud-client.js';
import { findInconsistencies } from '../support/cleanup.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud } from '../support/test-cloud.js';

const DAY_MS = 24 * 60 * 60_000;
/**
 * Bytes of the uploaded files. There are only a few different bodies, so that uploads often share a blob. The bodies
 * are small, so that many rounds are fast.
 */
const FILE_BODIES = Array.from({ length: 3 }, (_, index) => Buffer.alloc(40 + index, `body ${index} `));

const STEP_KINDS = [
  'upload',
  'upload with digest',
  'delete',
  'restore',
  'purge',
  'copy',
  'collect',
  'collect',
  'expire uploads',
] as const;
type StepKind = (typeof STEP_KINDS)[number];

/** The state of one run: the acknowledged contents of a cloud and their bytes. */
interface RaceRun {
  cloudID: string;
  client: CloudClient;
  contents: Map<string, Buffer>;
}

/** Runs garbage collection, uploads of equal bytes, deletions, restores, purges and copies concurrently. */
describe('garbage collection among concurrent operations', () => {
  let server: CloudServer;
  let other: CloudServer;
  let store: BlobStore;

  beforeAll(async () => {
    server = await CloudServer.start();
    other = await CloudServer.startSecondNode(server);
    store = server.get(BlobStore);
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  const query = <Row>(sql: string, parameters: unknown[] = []) => server.query<Row>(sql, parameters);
  /** Runs garbage collection with a clock that is eight days fast, so that all grace periods have ended. */
  const collect = (node: CloudServer) => node.get(GarbageCollectionService).run(Date.now() + 8 * DAY_MS);
  /**
   * Runs garbage collection like `collect`, but may be called while uploads are in progress. An upload stores its bytes
   * before its row, and only the age of the bytes protects them from being deleted as orphans. Orphans are therefore
   * collected with the correct clock.
   */
  const collectDuringUploads = async (node: CloudServer) => {
    const blobs = node.get(GarbageCollectionService);
    const later = Date.now() + 8 * DAY_MS;
    await blobs.condemnUnreferenced(later);
    await blobs.removeCondemned(later);
    await blobs.resumeDeletions(later);
    await blobs.deleteTombstones(later);
    await blobs.collectOrphans(Date.now());
  };

  async function runStep(run: RaceRun, step: StepKind, body: Buffer): Promise<void> {
    const { cloudID, client, contents } = run;
    const ids = [...contents].filter(([, bytes]) => bytes === body).map(([id]) => id);
    const contentIDList = ids.slice(0, 3);
    switch (step) {
      case 'upload':
      case 'upload with digest':
        return uploadContent(run, body, step === 'upload with digest');
      case 'delete':
        if (ids.length > 0) await client.delete(cloudID, contentIDList);
        return;
      case 'restore':
        if (ids.length > 0) await client.post('restoreContents', { cloudID, contentIDList });
        return;
      case 'purge':
        if (ids.length > 0) await client.post('purgeContents', { cloudID, contentIDList });
        return;
      case 'copy':
        if (ids.length > 0) await client.post('createBatchOprTask', { cloudID, taskType: 1, contentIDList });
        return;
      case 'collect':
        await collectDuringUploads(contents.size % 2 === 0 ? server : other);
        return;
      case 'expire uploads':
        await server.uploadTermination.expire(Date.now());
    }
  }

  async function uploadContent(
    { cloudID, client, contents }: RaceRun,
    bytes: Buffer,
    sendDigest: boolean,
  ): Promise<void> {
    const digest = sendDigest ? createHash('sha256').update(bytes).digest('hex') : undefined;
    const file = await client.announceFile(cloudID, bytes.length, digest);
    if (file.isNeedUpload) {
      const put = await putBytes(file.uploadURL, bytes);
      if (put.status !== 200) throw new Error(`Not stored: ${put.text}`);
    }
    contents.set(file.contentID, bytes);
  }

  /** Checks that every unpurged content has complete, readable bytes, and that the usage is consistent. */
  async function expectContentsReadable({ cloudID, client, contents }: RaceRun): Promise<void> {
    const rows = await query<{ id: string; state: string; key: string; blob: string }>(
      `SELECT c.content_id AS id, c.state, c.blob_key AS key, b.state AS blob
         FROM mcdisk.content c JOIN mcdisk.blob b USING (blob_key) WHERE c.cloud_id = $1 AND c.state <> 'PURGED'`,
      [cloudID],
    );
    for (const { id, state, key, blob } of rows) {
      expect(['LIVE', 'CONDEMNED']).toContain(blob);
      const bytes = await store.read(key, { start: 0, end: 39 });
      expect(FILE_BODIES.some((body) => body.subarray(0, 40).equals(bytes))).toBe(true);
      const expected = contents.get(id);
      if (state !== 'ACTIVE' || !expected) continue;
      expect((await client.download(cloudID, id)).equals(expected)).toBe(true);
    }
    expect(await findInconsistencies(server, Number.POSITIVE_INFINITY)).toEqual([]);
  }

  const waitForCopies = ({ cloudID }: RaceRun) =>
    waitFor(async () => {
      const open = await query(`SELECT FROM mcdisk.batch_task WHERE cloud_id = $1 AND finished_at IS NULL`, [cloudID]);
      expect(open).toEqual([]);
    });

  /** Deletes and purges all contents, and checks that no bytes remain. */
  async function expectAllDeleted({ cloudID, client }: RaceRun): Promise<void> {
    const rows = await query<{ id: string }>(
      `SELECT content_id AS id FROM mcdisk.content WHERE cloud_id = $1 AND state <> 'PURGED'`,
      [cloudID],
    );
    const contentIDList = rows.map(({ id }) => id);
    if (contentIDList.length > 0) {
      await client.delete(cloudID, contentIDList);
      await client.post('purgeContents', { cloudID, contentIDList });
    }
    for (let round = 0; round < 3; round += 1) await collect(server);
    const blobs = await query<{ state: string }>(
      `SELECT DISTINCT state FROM mcdisk.blob WHERE cloud_id = $1 AND state <> 'GONE'`,
      [cloudID],
    );
    expect([blobs, await findStoredKeys(server)]).toEqual([[], []]);
    expect(await server.findSizes(cloudID)).toMatchObject({ usedSize: 0, reservedSize: 0, recycleSize: 0 });
  }

  test('deletes no referenced blob, and deletes every blob after all contents are purged', async () => {
    const step = fc.tuple(fc.constantFrom(...STEP_KINDS), fc.constantFrom(...FILE_BODIES));
    // Rounds run one after the other; the steps of a round run concurrently.
    const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rounds, async (plan) => {
        const { cloudID, owner } = await createCloud(server);
        const run: RaceRun = { cloudID, client: owner, contents: new Map() };
        for (const body of FILE_BODIES) await uploadContent(run, body, false);
        for (const round of plan) await Promise.all(round.map(([name, body]) => runStep(run, name, body)));
        await waitForCopies(run);
        await expectContentsReadable(run);
        await expectAllDeleted(run);
      }),
      { numRuns: propertyRuns(5) },
    );
  }, 900_000);
});
