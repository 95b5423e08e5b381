import { randomUUID } from 'node:crypto';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { BlobMissingError, BlobStore } from '../../src/contexts/blobs/blob-store.js';
import { BlobRepository } from '../../src/contexts/blobs/blob.repository.js';
import { GarbageCollectionJob } from '../../src/contexts/garbage-collection/garbage-collection.job.js';
import { StoreIdentityService } from '../../src/contexts/garbage-collection/store-identity.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import { storeContent } from '../support/stored-content.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('the collector', () => {
  let server: CloudServer;
  let store: BlobStore;
  let collector: GarbageCollectionJob;
  let cloudID: string;

  beforeAll(async () => {
    server = await CloudServer.start();
    store = server.app.get(BlobStore, { strict: false });
    collector = server.app.get(GarbageCollectionJob, { strict: false });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await collector.run(Date.now() + 9 * DAY);
    const family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
  });

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    server.unitOfWork.executor.query<Row>(sql, parameters);
  const stateOf = async (key: string) =>
    (await query<{ state: string }>('SELECT state FROM mcdisk.blob WHERE blob_key = $1', [key]))[0]?.state;
  const isThere = async (key: string) => {
    try {
      (await store.open(key)).destroy();
      return true;
    } catch (error) {
      if (error instanceof BlobMissingError) return false;
      throw error;
    }
  };
  const keep = () => storeContent(server, cloudID);
  /** Ends the only reference, and tells it or not. */
  const forget = async ({ contentID, key }: { contentID: string; key: string }, told = true) => {
    await server.unitOfWork.run(async () => {
      await query(`UPDATE mcdisk.content SET state = 'PURGED', blob_key = NULL WHERE content_id = $1`, [contentID]);
      await query('UPDATE mcdisk.family_cloud SET used_size = used_size - 50 WHERE cloud_id = $1', [cloudID]);
      if (told) await server.app.get(BlobRepository, { strict: false }).condemnUnreferenced([key], Date.now());
    });
  };
  const plant = async (age: number) => {
    const key = randomUUID();
    await store.stage(key, Readable.from([Buffer.from('lost')]), 4);
    await store.promote(key);
    const time = (Date.now() - age) / 1_000;
    await utimes(join(server.dataDir, 'blobs', store.pathOf(key) ?? ''), time, time);
    return key;
  };

  test('bytes outlive their last content by seven days, and their row by thirty', async () => {
    const content = await keep();
    await forget(content);
    expect(await stateOf(content.key)).toBe('CONDEMNED');
    await collector.run(Date.now() + 7 * DAY - MINUTE);
    expect([await stateOf(content.key), await isThere(content.key)]).toEqual(['CONDEMNED', true]);
    await collector.run(Date.now() + 7 * DAY + MINUTE);
    expect([await stateOf(content.key), await isThere(content.key)]).toEqual(['GONE', false]);
    await collector.run(Date.now() + 36 * DAY);
    expect(await stateOf(content.key)).toBe('GONE');
    await collector.run(Date.now() + 38 * DAY);
    expect(await stateOf(content.key)).toBeUndefined();
  });

  test('what a content refers to again is kept', async () => {
    const [content, other] = [await keep(), await keep()];
    await forget(content);
    await query('UPDATE mcdisk.content SET blob_key = $2 WHERE content_id = $1', [other.contentID, content.key]);
    await collector.run(Date.now() + 8 * DAY);
    expect([await stateOf(content.key), await isThere(content.key)]).toEqual(['LIVE', true]);
  });

  test('what lost its last content without a word is found, wherever the round began', async () => {
    const [content, kept] = [await keep(), await keep()];
    await forget(content, false);
    await collector.run();
    await collector.run();
    expect([await stateOf(content.key), await stateOf(kept.key)]).toEqual(['CONDEMNED', 'LIVE']);
  });

  test('renditions go with their source', async () => {
    const [source, rendition] = [await keep(), await keep()];
    await query(
      `INSERT INTO mcdisk.rendition (source_key, cloud_id, kind, state, blob_key, media_type, size, digest, due_at)
       VALUES ($1, $3, 'THUMBNAIL', 'READY', $2, 'image/jpeg', 50, '', 0)`,
      [source.key, rendition.key, cloudID],
    );
    await forget(rendition, false);
    for (let round = 0; round < 2; round += 1) await collector.run(Date.now() + 8 * DAY);
    expect([await stateOf(rendition.key), await isThere(rendition.key)]).toEqual(['LIVE', true]);
    await forget(source);
    await collector.run(Date.now() + 8 * DAY);
    expect([await stateOf(source.key), await isThere(source.key)]).toEqual(['GONE', false]);
    expect([await stateOf(rendition.key), await isThere(rendition.key)]).toEqual(['GONE', false]);
  });

  test('what the store does not let go stays for a later round, and holds nothing else back', async () => {
    const [stuck, other] = [await keep(), await keep()];
    await forget(stuck);
    await forget(other);
    const discard = store.discard.bind(store);
    const spy = jest.spyOn(store, 'discard').mockImplementation(async (key) => {
      if (key === stuck.key) throw new Error('The disk is busy');
      await discard(key);
    });
    await collector.run(Date.now() + 8 * DAY);
    spy.mockRestore();
    expect([await stateOf(stuck.key), await stateOf(other.key)]).toEqual(['DELETING', 'GONE']);
    await collector.run(Date.now() + 8 * DAY + 5 * MINUTE);
    expect(await stateOf(stuck.key)).toBe('DELETING');
    await collector.run(Date.now() + 8 * DAY + 11 * MINUTE);
    expect([await stateOf(stuck.key), await isThere(stuck.key)]).toEqual(['GONE', false]);
  });

  test('two rounds at once remove each blob once', async () => {
    const contents = await Promise.all(Array.from({ length: 8 }, keep));
    for (const content of contents) await forget(content);
    const rounds = [1, 2, 3].map(() => collector.run(Date.now() + 8 * DAY));
    const removed = (await Promise.all(rounds)).reduce((sum, round) => sum + round.removed, 0);
    expect(removed).toBe(8);
  });

  test('bytes that no row knows go after an hour, and when they are still unknown at a second look', async () => {
    const [old, young, known] = [await plant(61 * MINUTE), await plant(59 * MINUTE), await plant(2 * DAY)];
    await collector.run();
    expect(await isThere(old)).toBe(true);
    await query(`INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since) VALUES ($1, $2, 'STAGED', 0)`, [
      known,
      cloudID,
    ]);
    await collector.run();
    expect([await isThere(old), await isThere(young), await isThere(known)]).toEqual([false, true, true]);
    await store.discard(young);
  });

  describe('removes nothing', () => {
    /** Something to collect, which must stay, and an upload that was acknowledged after the database was saved. */
    const prepare = async () => {
      const [condemned, abandoned] = [await keep(), await keep()];
      await forget(condemned);
      await forget(abandoned, false);
      await query(`UPDATE mcdisk.blob SET state = 'STAGED' WHERE blob_key = $1`, [abandoned.key]);
      return [condemned.key, abandoned.key, await plant(2 * DAY)];
    };
    const whatIsThereAfter = async (doomed: string[]) => {
      for (let round = 0; round < 3; round += 1) await collector.run(Date.now() + 8 * DAY);
      await server.janitor.run();
      return Promise.all(doomed.map(isThere));
    };
    const nothingGoes = async (doomed: string[]) => expect(await whatIsThereAfter(doomed)).toEqual([true, true, true]);
    const everythingGoes = async (doomed: string[]) =>
      expect(await whatIsThereAfter(doomed)).toEqual([false, false, false]);
    const marks = () => server.app.get(StoreIdentityService, { strict: false });

    test('while the database is older than the store', async () => {
      const doomed = await prepare();
      await marks().advanceGeneration(Date.now() + 20 * DAY);
      await query('UPDATE mcdisk.store_mark SET generation = generation - 1');
      await nothingGoes(doomed);
      await query('UPDATE mcdisk.store_mark SET generation = generation + 1');
      await everythingGoes(doomed);
    });

    test('from the store of another database, until an operator says that it is ours', async () => {
      const doomed = await prepare();
      await query('UPDATE mcdisk.store_mark SET store_id = $1', [randomUUID()]);
      await nothingGoes(doomed);
      await marks().adopt(Date.now());
      await everythingGoes(doomed);
    });

    test('from a store that was emptied or is the wrong one', async () => {
      await marks().advanceGeneration(Date.now() + 40 * DAY);
      const doomed = await prepare();
      for (const slot of ['0', '1']) {
        await rm(join(server.dataDir, 'blobs', store.pathOf(`00000000-0000-8000-8000-00000000000${slot}`) ?? ''), {
          force: true,
        });
      }
      await nothingGoes(doomed);
      await marks().adopt(Date.now());
      await everythingGoes(doomed);
    });
  });
});
