import { randomUUID } from 'node:crypto';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { StoreIdentityService } from '../../src/storage/garbage-collection/store-identity.service.js';
import { formatFsckReport, type FsckOptions } from '../../src/storage/fsck/fsck-report.js';
import { Fsck } from '../../src/storage/fsck/fsck.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { storeContent, storeOrphan } from '../support/stored-content.js';

const HOUR_MS = 60 * 60_000;
/** Milliseconds after which all grace periods of fsck have ended. */
const AFTER_GRACE_PERIODS_MS = 2 * HOUR_MS;

describe('fsck', () => {
  let { cloudID } = {} as TestCloud;
  let server: CloudServer;
  let store: BlobStore;

  // A separate server for each test, because fsck checks the whole store and database.
  beforeEach(async () => {
    server = await CloudServer.start();
    ({ cloudID } = await createCloud(server));
    store = server.get(BlobStore);
  });
  afterEach(() => server.stop());

  const query = <Row>(sql: string, parameters: unknown[] = []) => server.query<Row>(sql, parameters);
  const check = (options: Partial<FsckOptions> = {}, now = Date.now() + AFTER_GRACE_PERIODS_MS) =>
    new Fsck(server.unitOfWork, store).run({ repair: false, sampleSize: 0, ...options }, now);
  const repair = (allow?: number) => check({ repair: true, maxDeletions: allow });
  const findings = async (options: Partial<FsckOptions> = {}) =>
    (await check(options)).findings.map(({ kind, subject }) => [kind, subject]);
  const fileOf = (key: string) => join(server.dataDir, 'blobs', store.relativePathOf(key) ?? '');
  const createContent = () => storeContent(server, cloudID);
  const createOrphan = (age = 0) => storeOrphan(server, age);

  test('reports no findings for a consistent store, and verifies the digests of the requested sample', async () => {
    for (let count = 0; count < 5; count += 1) await createContent();
    const report = await check({ sampleSize: Number.POSITIVE_INFINITY });
    expect(report).toEqual({ stored: { blobs: 5, bytes: 250 }, hashed: 5, findings: [] });
    expect(formatFsckReport(report)).toContain('Store and database agree');
    expect((await check()).hashed).toBe(0);
  });

  test('reports missing, truncated and altered bytes, and never repairs them', async () => {
    const [missing, truncated, altered] = [await createContent(), await createContent(), await createContent()];
    await rm(fileOf(missing.key));
    await truncate(fileOf(truncated.key), 10);
    await writeFile(fileOf(altered.key), Buffer.alloc(50));
    const expected = [
      ['MISSING_BYTES', missing.key],
      ['WRONG_DIGEST', altered.key],
      ['WRONG_SIZE', truncated.key],
    ];
    expect((await findings({ sampleSize: Number.POSITIVE_INFINITY })).toSorted()).toEqual(expected);
    expect((await findings()).toSorted()).toEqual([expected[0], expected[2]]);
    const repaired = await repair();
    expect(repaired.findings.map((finding) => finding.repaired)).toEqual([false, false]);
    const [{ contents } = { contents: 0 }] = await query<{ contents: number }>(
      `SELECT count(*) AS contents FROM mcdisk.content WHERE state = 'ACTIVE'`,
    );
    expect(contents).toBe(3);
  });

  test('reports missing bytes only until they reappear', async () => {
    const { key, bytes } = await createContent();
    await rm(fileOf(key));
    expect(await findings()).toHaveLength(1);
    await writeFile(fileOf(key), bytes);
    expect(await findings({ sampleSize: 1 })).toEqual([]);
  });

  test('repairs wrong usage counters', async () => {
    await createContent();
    await query(
      'UPDATE mcdisk.family_cloud SET used_size = 7, recycle_size = 8, reserved_size = 9, content_count = 10',
    );
    expect(await findings()).toEqual([['QUOTA', cloudID]]);
    expect((await repair()).findings).toMatchObject([{ repaired: true }]);
    expect(await findings()).toEqual([]);
    expect(await server.findSizes(cloudID)).toMatchObject({ usedSize: 50, recycleSize: 0, reservedSize: 0 });
  });

  test('repairs usage counters correctly while a concurrent change is uncommitted', async () => {
    const { contentID } = await createContent();
    await query('UPDATE mcdisk.family_cloud SET used_size = 7');
    const [changed, corrected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const change = server.unitOfWork.run(async () => {
      await query(`UPDATE mcdisk.content SET state = 'RECYCLED' WHERE content_id = $1`, [contentID]);
      changed.resolve();
      await corrected.promise;
      await query('UPDATE mcdisk.family_cloud SET used_size = used_size - 50, recycle_size = recycle_size + 50');
    });
    await changed.promise;
    await repair();
    corrected.resolve();
    await change;
    expect(await server.findSizes(cloudID)).toMatchObject({ usedSize: 0, recycleSize: 50 });
  });

  test('deletes orphans older than an hour, if their number does not exceed the allowed number', async () => {
    for (let count = 0; count < 3; count += 1) await createContent();
    const [old, young] = [await createOrphan(), await createOrphan(-AFTER_GRACE_PERIODS_MS)];
    expect(await findings()).toEqual([['ORPHAN', old]]);
    const report = await repair();
    expect(report.refused).toMatch(/would delete 1 of 5 blobs, but at most 0 are allowed/);
    expect(report.findings.every((finding) => !finding.repaired)).toBe(true);
    expect((await repair(1)).findings).toMatchObject([{ kind: 'ORPHAN', subject: old, repaired: true }]);
    expect(await findings()).toEqual([]);
    await expect(store.open(old)).rejects.toThrow();
    (await store.open(young)).destroy();
  });

  test('repairs without `--allow` while at most 1 % of blobs would be deleted', async () => {
    await createContent();
    for (let count = 0; count < 99; count += 1) await createOrphan(-AFTER_GRACE_PERIODS_MS);
    const [first, second] = [await createOrphan(), await createOrphan()];
    expect((await repair()).refused).toMatch(/2 of 102/);
    await store.discard(first);
    expect((await repair()).findings).toMatchObject([{ kind: 'ORPHAN', subject: second, repaired: true }]);
  });

  test('finishes stuck deletions, and deletes blobs that are stuck in the state STAGED', async () => {
    const [staged, deleting, referenced] = [
      randomUUID(),
      await createOrphan(-AFTER_GRACE_PERIODS_MS),
      await createContent(),
    ];
    await store.stage(staged, Readable.from([Buffer.from('half')]), 4);
    await query(
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since)
       VALUES ($1, $3, 'STAGED', 1), ($2, $3, 'DELETING', 1)`,
      [staged, deleting, cloudID],
    );
    await query(`UPDATE mcdisk.blob SET state = 'STAGED', state_since = 1 WHERE blob_key = $1`, [referenced.key]);
    expect((await findings()).toSorted()).toEqual([
      ['CONTENT_WITHOUT_BLOB', referenced.contentID],
      ['STUCK_DELETING', deleting],
      ['STUCK_STAGED', staged],
    ]);
    await repair(2);
    expect(await findings()).toEqual([['CONTENT_WITHOUT_BLOB', referenced.contentID]]);
    const states = await query(`SELECT state FROM mcdisk.blob WHERE blob_key = ANY ($1) ORDER BY state`, [
      [staged, deleting],
    ]);
    expect(states).toEqual([{ state: 'GONE' }, { state: 'GONE' }]);
  });

  test('reports inconsistent folder paths, and requeues renditions without bytes', async () => {
    const [parent, child] = [randomUUID(), randomUUID()];
    await query(
      `INSERT INTO mcdisk.catalog (catalog_id, cloud_id, parent_catalog_id, name, chain, created_by, state, created_at,
                                   updated_at)
       VALUES ($1, $3, NULL, 'a', ARRAY[$1]::uuid[], 'user:x', 'ACTIVE', 0, 0),
              ($2, $3, $1, 'b', ARRAY[$2]::uuid[], 'user:x', 'ACTIVE', 0, 0)`,
      [parent, child, cloudID],
    );
    const [source, rendition] = [await createContent(), await createContent()];
    await query(
      `INSERT INTO mcdisk.rendition (source_key, cloud_id, kind, state, blob_key, media_type, size, digest, due_at)
       VALUES ($1, $3, 'THUMBNAIL', 'READY', $2, 'image/jpeg', 50, '', 0)`,
      [source.key, rendition.key, cloudID],
    );
    await query(`UPDATE mcdisk.blob SET state = 'GONE' WHERE blob_key = $1`, [rendition.key]);
    await query('DELETE FROM mcdisk.content WHERE content_id = $1', [rendition.contentID]);
    await query('UPDATE mcdisk.family_cloud SET used_size = 50, content_count = 1');
    await rm(fileOf(rendition.key));
    expect(await findings()).toEqual([
      ['CATALOG_CHAIN', child],
      ['RENDITION', source.key],
    ]);
    await repair();
    expect(await findings()).toEqual([['CATALOG_CHAIN', child]]);
    expect(await query('SELECT state, blob_key FROM mcdisk.rendition')).toEqual([{ state: 'WAITING', blob_key: null }]);
  });

  test('repairs nothing while the database is older than the store', async () => {
    await createContent();
    const orphan = await createOrphan();
    const storeIdentity = server.get(StoreIdentityService);
    for (const days of [1, 2, 3]) await storeIdentity.advanceGeneration(Date.now() + days * 24 * HOUR_MS);
    await query('UPDATE mcdisk.store_mark SET generation = 2');
    const report = await repair(5);
    expect(report.refused).toMatch(/older than the store/);
    expect(report.findings.map(({ kind }) => kind)).toEqual(['STORE_MARK', 'ORPHAN']);
    await new Fsck(server.unitOfWork, store).adoptStore(Date.now());
    expect((await repair(5)).findings).toMatchObject([{ subject: orphan, repaired: true }]);
    expect(await findings()).toEqual([]);
  });

  test('repairs nothing when the store has bytes newer than any change in the database', async () => {
    await createContent();
    await query('UPDATE mcdisk.blob SET state_since = state_since - $1', [3 * HOUR_MS]);
    await createOrphan(HOUR_MS);
    expect((await repair(5)).refused).toMatch(/newer than the newest change/);
  });
});
