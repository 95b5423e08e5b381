import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { BlobMissingError, BlobStore } from '../../src/storage/blobs/blob-store.js';
import { BlobRepository } from '../../src/storage/blobs/blob.repository.js';
import { GarbageCollectionService } from '../../src/storage/garbage-collection/garbage-collection.service.js';
import { StoreIdentityService } from '../../src/storage/garbage-collection/store-identity.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { storeContent, storeOrphan } from '../support/stored-content.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('garbage collection', () => {
  let { cloudID } = {} as TestCloud;
  let server: CloudServer;
  let store: BlobStore;
  let job: GarbageCollectionService;

  beforeAll(async () => {
    server = await CloudServer.start();
    store = server.get(BlobStore);
    job = server.get(GarbageCollectionService);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ cloudID } = await createCloud(server));
    await job.run(Date.now() + 9 * DAY_MS);
  });

  const query = <Row>(sql: string, parameters: unknown[] = []) => server.query<Row>(sql, parameters);
  const stateOf = async (key: string) =>
    (await query<{ state: string }>('SELECT state FROM mcdisk.blob WHERE blob_key = $1', [key]))[0]?.state;
  const exists = async (key: string) => {
    try {
      (await store.open(key)).destroy();
      return true;
    } catch (error) {
      if (error instanceof BlobMissingError) return false;
      throw error;
    }
  };
  const createContent = () => storeContent(server, cloudID);
  /** Removes the only reference to a blob, with or without condemning the blob. */
  const removeReference = async ({ contentID, key }: { contentID: string; key: string }, condemn = true) => {
    await server.unitOfWork.run(async () => {
      await query(`UPDATE mcdisk.content SET state = 'PURGED', blob_key = NULL WHERE content_id = $1`, [contentID]);
      await query('UPDATE mcdisk.family_cloud SET used_size = used_size - 50 WHERE cloud_id = $1', [cloudID]);
      if (condemn) await server.get(BlobRepository).condemnUnreferenced([key], Date.now());
    });
  };
  const createOrphan = (age: number) => storeOrphan(server, age);

  test('deletes bytes seven days after their last reference is removed, and their row 30 days later', async () => {
    const content = await createContent();
    await removeReference(content);
    expect(await stateOf(content.key)).toBe('CONDEMNED');
    await job.run(Date.now() + 7 * DAY_MS - MINUTE_MS);
    expect([await stateOf(content.key), await exists(content.key)]).toEqual(['CONDEMNED', true]);
    await job.run(Date.now() + 7 * DAY_MS + MINUTE_MS);
    expect([await stateOf(content.key), await exists(content.key)]).toEqual(['GONE', false]);
    await job.run(Date.now() + 36 * DAY_MS);
    expect(await stateOf(content.key)).toBe('GONE');
    await job.run(Date.now() + 38 * DAY_MS);
    expect(await stateOf(content.key)).toBeUndefined();
  });

  test('keeps a condemned blob that is referenced again, and makes it live', async () => {
    const [content, other] = [await createContent(), await createContent()];
    await removeReference(content);
    await query('UPDATE mcdisk.content SET blob_key = $2 WHERE content_id = $1', [other.contentID, content.key]);
    await job.run(Date.now() + 8 * DAY_MS);
    expect([await stateOf(content.key), await exists(content.key)]).toEqual(['LIVE', true]);
  });

  test('condemns a live blob whose last reference was removed without condemning it', async () => {
    const [content, kept] = [await createContent(), await createContent()];
    await removeReference(content, false);
    await job.run(Date.now());
    await job.run(Date.now());
    expect([await stateOf(content.key), await stateOf(kept.key)]).toEqual(['CONDEMNED', 'LIVE']);
  });

  test('keeps renditions as long as their source, and deletes them with their source', async () => {
    const [source, rendition] = [await createContent(), await createContent()];
    await query(
      `INSERT INTO mcdisk.rendition (source_key, cloud_id, kind, state, blob_key, media_type, size, digest, due_at)
       VALUES ($1, $3, 'THUMBNAIL', 'READY', $2, 'image/jpeg', 50, '', 0)`,
      [source.key, rendition.key, cloudID],
    );
    await removeReference(rendition, false);
    for (let round = 0; round < 2; round += 1) await job.run(Date.now() + 8 * DAY_MS);
    expect([await stateOf(rendition.key), await exists(rendition.key)]).toEqual(['LIVE', true]);
    await removeReference(source);
    await job.run(Date.now() + 8 * DAY_MS);
    expect([await stateOf(source.key), await exists(source.key)]).toEqual(['GONE', false]);
    expect([await stateOf(rendition.key), await exists(rendition.key)]).toEqual(['GONE', false]);
  });

  test('retries blobs that the store fails to delete, and continues with others', async () => {
    const [stuck, other] = [await createContent(), await createContent()];
    await removeReference(stuck);
    await removeReference(other);
    const discard = store.discard.bind(store);
    const spy = jest.spyOn(store, 'discard').mockImplementation(async (key) => {
      if (key === stuck.key) throw new Error('The disk is busy');
      await discard(key);
    });
    await job.run(Date.now() + 8 * DAY_MS);
    spy.mockRestore();
    expect([await stateOf(stuck.key), await stateOf(other.key)]).toEqual(['DELETING', 'GONE']);
    await job.run(Date.now() + 8 * DAY_MS + 5 * MINUTE_MS);
    expect(await stateOf(stuck.key)).toBe('DELETING');
    await job.run(Date.now() + 8 * DAY_MS + 11 * MINUTE_MS);
    expect([await stateOf(stuck.key), await exists(stuck.key)]).toEqual(['GONE', false]);
  });

  test('deletes each blob once when runs are concurrent', async () => {
    const contents = await Promise.all(Array.from({ length: 8 }, createContent));
    for (const content of contents) await removeReference(content);
    const rounds = [1, 2, 3].map(() => job.run(Date.now() + 8 * DAY_MS));
    const removed = (await Promise.all(rounds)).reduce((sum, round) => sum + round.deletedCount, 0);
    expect(removed).toBe(8);
  });

  test('deletes bytes without a blob row after an hour, if the next run still finds no row', async () => {
    const [oldOrphan, young, reused] = [
      await createOrphan(61 * MINUTE_MS),
      await createOrphan(59 * MINUTE_MS),
      await createOrphan(2 * DAY_MS),
    ];
    await job.run(Date.now());
    expect(await exists(oldOrphan)).toBe(true);
    await query(`INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since) VALUES ($1, $2, 'STAGED', 0)`, [
      reused,
      cloudID,
    ]);
    await job.run(Date.now());
    expect([await exists(oldOrphan), await exists(young), await exists(reused)]).toEqual([false, true, true]);
    await store.discard(young);
  });

  describe('protection against a wrong store or database', () => {
    /**
     * Creates three blobs that must not be deleted: a condemned one, one that is still staged in the database although
     * its upload was acknowledged after the backup, and an orphan. Returns their keys.
     */
    const prepare = async () => {
      const [condemned, abandoned] = [await createContent(), await createContent()];
      await removeReference(condemned);
      await removeReference(abandoned, false);
      await query(`UPDATE mcdisk.blob SET state = 'STAGED' WHERE blob_key = $1`, [abandoned.key]);
      return [condemned.key, abandoned.key, await createOrphan(2 * DAY_MS)];
    };
    const existingAfterRuns = async (keys: string[]) => {
      for (let round = 0; round < 3; round += 1) await job.run(Date.now() + 8 * DAY_MS);
      await server.uploadTermination.expire(Date.now());
      return Promise.all(keys.map(exists));
    };
    const expectKept = async (keys: string[]) => expect(await existingAfterRuns(keys)).toEqual([true, true, true]);
    const expectDeleted = async (keys: string[]) =>
      expect(await existingAfterRuns(keys)).toEqual([false, false, false]);
    const storeIdentity = () => server.get(StoreIdentityService);

    test('deletes nothing while the database is older than the store', async () => {
      const keys = await prepare();
      await storeIdentity().advanceGeneration(Date.now() + 20 * DAY_MS);
      await query('UPDATE mcdisk.store_mark SET generation = generation - 1');
      await expectKept(keys);
      await query('UPDATE mcdisk.store_mark SET generation = generation + 1');
      await expectDeleted(keys);
    });

    test('deletes nothing from the store of another database until an operator adopts the store', async () => {
      const keys = await prepare();
      await query('UPDATE mcdisk.store_mark SET store_id = $1', [randomUUID()]);
      await expectKept(keys);
      await storeIdentity().adopt(Date.now());
      await expectDeleted(keys);
    });

    test('deletes nothing from a store without an identity until an operator adopts the store', async () => {
      await storeIdentity().advanceGeneration(Date.now() + 40 * DAY_MS);
      const keys = await prepare();
      for (const slot of ['0', '1']) {
        await rm(
          join(server.dataDir, 'blobs', store.relativePathOf(`00000000-0000-8000-8000-00000000000${slot}`) ?? ''),
          {
            force: true,
          },
        );
      }
      await expectKept(keys);
      await storeIdentity().adopt(Date.now());
      await expectDeleted(keys);
    });
  });
});
