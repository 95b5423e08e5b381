import { randomUUID } from 'node:crypto';
import { rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { BlobStore } from '../../src/contexts/blobs/blob-store.js';
import { StoreIdentityService } from '../../src/contexts/garbage-collection/store-identity.service.js';
import type { FsckOptions } from '../../src/contexts/fsck/finding.js';
import { Fsck } from '../../src/contexts/fsck/fsck.js';
import { formatFsckReport } from '../../src/contexts/fsck/fsck-report.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import { storeContent } from '../support/stored-content.js';

const HOUR = 60 * 60_000;
/** Later than all grace periods. */
const LATER = 2 * HOUR;

describe('fsck', () => {
  let server: CloudServer;
  let store: BlobStore;
  let cloudID: string;

  // A store of its own for each: a check looks at everything.
  beforeEach(async () => {
    server = await CloudServer.start();
    store = server.app.get(BlobStore, { strict: false });
    const family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
  });
  afterEach(() => server.stop());

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    server.unitOfWork.executor.query<Row>(sql, parameters);
  const check = (wishes: Partial<FsckOptions> = {}, now = Date.now() + LATER) =>
    new Fsck(server.unitOfWork, store).run({ repair: false, sample: 0, ...wishes }, now);
  const repair = (allow?: number) => check({ repair: true, allow });
  const found = async (wishes: Partial<FsckOptions> = {}) =>
    (await check(wishes)).findings.map(({ kind, subject }) => [kind, subject]);
  const fileOf = (key: string) => join(server.dataDir, 'blobs', store.pathOf(key) ?? '');
  const keep = () => storeContent(server, cloudID);
  const plant = async (age = 0) => {
    const key = randomUUID();
    await store.stage(key, Readable.from([Buffer.from('lost')]), 4);
    await store.promote(key);
    const time = (Date.now() - age) / 1_000;
    await utimes(fileOf(key), time, time);
    return key;
  };

  test('finds nothing where nothing is wrong, and hashes as many as it is told', async () => {
    for (let count = 0; count < 5; count += 1) await keep();
    const report = await check({ sample: Number.POSITIVE_INFINITY });
    expect(report).toEqual({ stored: { blobs: 5, bytes: 250 }, hashed: 5, findings: [] });
    expect(formatFsckReport(report)).toContain('Store and database agree');
    expect((await check()).hashed).toBe(0);
  });

  test('missing, cut and altered bytes are told and never repaired', async () => {
    const [missing, cut, altered] = [await keep(), await keep(), await keep()];
    await rm(fileOf(missing.key));
    await truncate(fileOf(cut.key), 10);
    await writeFile(fileOf(altered.key), Buffer.alloc(50));
    const expected = [
      ['MISSING_BYTES', missing.key],
      ['WRONG_DIGEST', altered.key],
      ['WRONG_SIZE', cut.key],
    ];
    expect((await found({ sample: Number.POSITIVE_INFINITY })).toSorted()).toEqual(expected);
    expect((await found()).toSorted()).toEqual([expected[0], expected[2]]);
    const repaired = await repair();
    expect(repaired.findings.map((finding) => finding.repaired)).toEqual([false, false]);
    const [{ contents } = { contents: 0 }] = await query<{ contents: number }>(
      `SELECT count(*) AS contents FROM mcdisk.content WHERE state = 'ACTIVE'`,
    );
    expect(contents).toBe(3);
  });

  test('bytes that reappeared are no finding', async () => {
    const { key, bytes } = await keep();
    await rm(fileOf(key));
    expect(await found()).toHaveLength(1);
    await writeFile(fileOf(key), bytes);
    expect(await found({ sample: 1 })).toEqual([]);
  });

  test('sums are corrected', async () => {
    await keep();
    await query(
      'UPDATE mcdisk.family_cloud SET used_size = 7, recycle_size = 8, reserved_size = 9, content_count = 10',
    );
    expect(await found()).toEqual([['QUOTA', cloudID]]);
    expect((await repair()).findings).toMatchObject([{ repaired: true }]);
    expect(await found()).toEqual([]);
    expect(await server.sizesOf(cloudID)).toMatchObject({ usedSize: 50, recycleSize: 0, reservedSize: 0 });
  });

  test('a change that is under way is not mistaken for a wrong sum', async () => {
    const { contentID } = await keep();
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
    expect(await server.sizesOf(cloudID)).toMatchObject({ usedSize: 0, recycleSize: 50 });
  });

  test('what no row knows is removed after an hour, if it is no more than may go', async () => {
    for (let count = 0; count < 3; count += 1) await keep();
    const [old, young] = [await plant(), await plant(-LATER)];
    expect(await found()).toEqual([['ORPHAN', old]]);
    const refused = await repair();
    expect(refused.refused).toMatch(/would delete 1 of 5 blobs, but at most 0 are allowed/);
    expect(refused.findings.every((finding) => !finding.repaired)).toBe(true);
    expect((await repair(1)).findings).toMatchObject([{ kind: 'ORPHAN', subject: old, repaired: true }]);
    expect(await found()).toEqual([]);
    await expect(store.open(old)).rejects.toThrow();
    (await store.open(young)).destroy();
  });

  test('one in a hundred may go without being allowed', async () => {
    await keep();
    for (let count = 0; count < 99; count += 1) await plant(-LATER);
    const [first, second] = [await plant(), await plant()];
    expect((await repair()).refused).toMatch(/2 of 102/);
    await store.discard(first);
    expect((await repair()).findings).toMatchObject([{ kind: 'ORPHAN', subject: second, repaired: true }]);
  });

  test('what is stuck is ended', async () => {
    const [staged, deleting, referred] = [randomUUID(), await plant(-LATER), await keep()];
    await store.stage(staged, Readable.from([Buffer.from('half')]), 4);
    await query(
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since)
       VALUES ($1, $3, 'STAGED', 1), ($2, $3, 'DELETING', 1)`,
      [staged, deleting, cloudID],
    );
    await query(`UPDATE mcdisk.blob SET state = 'STAGED', state_since = 1 WHERE blob_key = $1`, [referred.key]);
    expect((await found()).toSorted()).toEqual([
      ['CONTENT_WITHOUT_BLOB', referred.contentID],
      ['STUCK_DELETING', deleting],
      ['STUCK_STAGED', staged],
    ]);
    await repair(2);
    expect(await found()).toEqual([['CONTENT_WITHOUT_BLOB', referred.contentID]]);
    const states = await query(`SELECT state FROM mcdisk.blob WHERE blob_key = ANY ($1) ORDER BY state`, [
      [staged, deleting],
    ]);
    expect(states).toEqual([{ state: 'GONE' }, { state: 'GONE' }]);
  });

  test('folders that do not hang together, and renditions without a source', async () => {
    const [parent, child] = [randomUUID(), randomUUID()];
    await query(
      `INSERT INTO mcdisk.catalog (catalog_id, cloud_id, parent_catalog_id, name, chain, created_by, state, created_at,
                                   updated_at)
       VALUES ($1, $3, NULL, 'a', ARRAY[$1]::uuid[], 'user:x', 'ACTIVE', 0, 0),
              ($2, $3, $1, 'b', ARRAY[$2]::uuid[], 'user:x', 'ACTIVE', 0, 0)`,
      [parent, child, cloudID],
    );
    const [source, picture] = [await keep(), await keep()];
    await query(
      `INSERT INTO mcdisk.rendition (source_key, cloud_id, kind, state, blob_key, media_type, size, digest, due_at)
       VALUES ($1, $3, 'THUMBNAIL', 'READY', $2, 'image/jpeg', 50, '', 0)`,
      [source.key, picture.key, cloudID],
    );
    await query(`UPDATE mcdisk.blob SET state = 'GONE' WHERE blob_key = $1`, [picture.key]);
    await query('DELETE FROM mcdisk.content WHERE content_id = $1', [picture.contentID]);
    await query('UPDATE mcdisk.family_cloud SET used_size = 50, content_count = 1');
    await rm(fileOf(picture.key));
    expect(await found()).toEqual([
      ['CATALOG_CHAIN', child],
      ['RENDITION', source.key],
    ]);
    await repair();
    expect(await found()).toEqual([['CATALOG_CHAIN', child]]);
    expect(await query('SELECT state, blob_key FROM mcdisk.rendition')).toEqual([{ state: 'WAITING', blob_key: null }]);
  });

  test('nothing is repaired while the database is older than the store', async () => {
    await keep();
    const orphan = await plant();
    const marks = server.app.get(StoreIdentityService, { strict: false });
    for (const days of [1, 2, 3]) await marks.advanceGeneration(Date.now() + days * 24 * HOUR);
    await query('UPDATE mcdisk.store_mark SET generation = 2');
    const refused = await repair(5);
    expect(refused.refused).toMatch(/older than the store/);
    expect(refused.findings.map(({ kind }) => kind)).toEqual(['STORE_MARK', 'ORPHAN']);
    await new Fsck(server.unitOfWork, store).adoptStore(Date.now());
    expect((await repair(5)).findings).toMatchObject([{ subject: orphan, repaired: true }]);
    expect(await found()).toEqual([]);
  });

  test('bytes that are newer than anything the database knows say the same', async () => {
    await keep();
    await query('UPDATE mcdisk.blob SET state_since = state_since - $1', [3 * HOUR]);
    await plant(HOUR);
    expect((await repair(5)).refused).toMatch(/newer than anything it knows/);
  });
});
