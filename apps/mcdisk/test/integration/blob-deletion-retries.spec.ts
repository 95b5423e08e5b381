import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { BlobStore, StoreUnavailableError } from '../../src/storage/blobs/blob-store.js';
import { BlobRepository } from '../../src/storage/blobs/blob.repository.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';

const MINUTE_MS = 60_000;
/** Number of blobs, more than one run of the upload expiry job deletes. */
const BLOB_COUNT = 250;

describe('blob deletion while the store fails', () => {
  let { cloudID } = {} as TestCloud;
  let server: CloudServer;
  let blobs: BlobRepository;

  beforeAll(async () => {
    server = await CloudServer.start();
    blobs = server.get(BlobRepository);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ cloudID } = await createCloud(server));
  });

  const query = <Row>(sql: string, parameters: unknown[] = []) => server.query<Row>(sql, parameters);
  const seed = async (count: number, state: 'STAGED' | 'DELETING', since: number) => {
    const keys = Array.from({ length: count }, (): string => randomUUID());
    await query(
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since)
       SELECT key, $2, $3, $4 FROM unnest($1::uuid[]) AS key`,
      [keys, cloudID, state, since],
    );
    return keys;
  };
  const countDeleted = async (keys: string[]) =>
    (await query(`SELECT FROM mcdisk.blob WHERE blob_key = ANY($1::uuid[]) AND state = 'GONE'`, [keys])).length;
  const failDiscardOf = (failingKeys: readonly string[]) => {
    const store = server.get(BlobStore);
    const discard = store.discard.bind(store);
    return jest.spyOn(store, 'discard').mockImplementation(async (key) => {
      if (failingKeys.includes(key)) throw new StoreUnavailableError();
      await discard(key);
    });
  };

  test('a failed deletion does not prevent the deletion of other blobs, in the same and in the next run', async () => {
    const now = Date.now();
    const stuck = await seed(BLOB_COUNT, 'DELETING', now - 60 * MINUTE_MS);
    const unfinished = await seed(10, 'DELETING', now - 20 * MINUTE_MS);
    const abandoned = await seed(10, 'STAGED', now - 20 * MINUTE_MS);
    const spy = failDiscardOf([...stuck, ...abandoned.slice(0, 5)]);
    await server.uploadTermination.expire(now);
    expect(await countDeleted(abandoned)).toBe(5);
    await server.uploadTermination.expire(now + MINUTE_MS);
    expect(await countDeleted(unfinished)).toBe(10);
    spy.mockRestore();
    for (let run = 0; run < 3; run += 1) await server.uploadTermination.expire(now + 60 * MINUTE_MS + run);
    expect(await countDeleted([...stuck, ...abandoned])).toBe(BLOB_COUNT + 10);
  });

  test('a failed deletion is retried after ten minutes, then twenty, and later at least once a day', async () => {
    const now = Date.now();
    const [key = ''] = await seed(1, 'DELETING', now - MINUTE_MS);
    const attempts: number[] = [];
    for (let minute = 0; minute < 5 * 24 * 60; minute += 5) {
      if ((await blobs.claimUnfinishedDeletions(now + minute * MINUTE_MS, 100)).includes(key)) attempts.push(minute);
    }
    const pauses = attempts.slice(1).map((minute, index) => minute - (attempts[index] ?? 0));
    // The test polls every five minutes, so each pause is up to five minutes longer than the delay.
    expect(pauses.slice(0, 4)).toEqual([15, 25, 45, 85]);
    expect(Math.max(...pauses)).toBeLessThan(24 * 60);
    expect(pauses.length).toBeGreaterThan(9);
  });

  test('claimUnfinishedDeletions returns each blob to exactly one of several concurrent callers', async () => {
    const keys = await seed(20, 'DELETING', Date.now() - 60 * MINUTE_MS);
    const found = await Promise.all([1, 2, 3].map(() => blobs.claimUnfinishedDeletions(Date.now(), 10)));
    expect(
      found
        .flat()
        .filter((key) => keys.includes(key))
        .toSorted(),
    ).toEqual(keys.toSorted());
  });
});
