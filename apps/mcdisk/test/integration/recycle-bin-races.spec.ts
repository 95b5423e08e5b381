import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { RecycleBinService } from '../../src/files/recycle-bin/recycle-bin.service.js';
import type { CloudClient, ApiResponse } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { expectUsageConsistent, seedContents, findStates } from '../support/seeded-cloud.js';

const STATE_AFTER_EVENT: Readonly<Record<string, string>> = {
  'mcdisk.content.recycled': 'RECYCLED',
  'mcdisk.content.restored': 'ACTIVE',
  'mcdisk.content.purged': 'PURGED',
};

describe('concurrent deletes, restores, purges and uploads', () => {
  let { family, cloudID, owner } = {} as TestCloud;
  let server: CloudServer;
  let guardian: CloudClient;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ family, cloudID, owner } = await createCloud(server));
    guardian = await server.as(family.guardian);
  });

  const deletion = (client: CloudClient, contentIDList: readonly string[]) => client.delete(cloudID, contentIDList);
  const restoration = (client: CloudClient, contentIDList: readonly string[]) =>
    client.post('restoreContents', { cloudID, contentIDList });
  const purge = (contentIDList: readonly string[]) => owner.post('purgeContents', { cloudID, contentIDList });

  /** Checks that the published events, applied to the states `before`, yield the current states. */
  async function expectEventsMatchStates(ids: readonly string[], before: ReadonlyMap<string, string>): Promise<void> {
    const expected = new Map(before);
    const events = await server.query<{ name: string; payload: { contentIDs: string[] } }>(
      `SELECT name, payload FROM mcdisk.outbox WHERE key = $1 AND name LIKE 'mcdisk.content.%' ORDER BY position`,
      [cloudID],
    );
    for (const { name, payload } of events) {
      for (const id of payload.contentIDs) if (STATE_AFTER_EVENT[name]) expected.set(id, STATE_AFTER_EVENT[name]);
    }
    expect(new Map(ids.map((id) => [id, expected.get(id)]))).toEqual(await findStates(server, ids));
  }

  async function countDeadlocks(): Promise<number> {
    const [row] = await server.query<{ deadlocks: number }>(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    return row?.deadlocks ?? 0;
  }

  test('concurrent deletions and restores of overlapping contents end as if they ran one after the other', async () => {
    const before = await countDeadlocks();
    const scenario = fc.record({
      states: fc.array(fc.constantFrom<'ACTIVE' | 'RECYCLED'>('ACTIVE', 'RECYCLED'), { minLength: 2, maxLength: 30 }),
      deleted: fc.infiniteStream(fc.boolean()),
      restored: fc.infiniteStream(fc.boolean()),
      shuffled: fc.infiniteStream(fc.nat(1_000)),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ states, deleted, restored, shuffled }) => {
        const ids: string[] = [];
        for (const state of states) ids.push(...(await seedContents(server, cloudID, 1, { state })));
        const initial = await findStates(server, ids);
        const pick = (stream: fc.Stream<boolean>) => ids.filter(() => stream.next().value);
        const shuffle = (list: string[]) => {
          const keys = new Map(list.map((id) => [id, shuffled.next().value]));
          return list.toSorted((left, right) => (keys.get(left) ?? 0) - (keys.get(right) ?? 0));
        };
        const [toDelete, toRestore] = [shuffle(pick(deleted)), shuffle(pick(restored))];
        const responses = await Promise.all([
          ...(toDelete.length > 0 ? [deletion(owner, toDelete), deletion(guardian, toDelete.toReversed())] : []),
          ...(toRestore.length > 0
            ? [restoration(owner, toRestore), restoration(guardian, toRestore.toReversed())]
            : []),
        ]);
        expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
        expect(responses.flatMap(({ body }) => (body.data as Record<string, string[]>)['failureContIDList'])).toEqual(
          [],
        );
        const after = await findStates(server, ids);
        const both = toDelete.filter((id) => toRestore.includes(id));
        expect(new Set(both.map((id) => after.get(id))).size).toBeLessThanOrEqual(1);
        for (const id of ids.filter((candidate) => !both.includes(candidate))) {
          const expected = toDelete.includes(id) ? 'RECYCLED' : toRestore.includes(id) ? 'ACTIVE' : initial.get(id);
          expect(after.get(id)).toBe(expected);
        }
        await expectEventsMatchStates(ids, initial);
        await expectUsageConsistent(server, cloudID);
      }),
      { numRuns: propertyRuns(13) },
    );
    // A deadlocked transaction is retried silently, so the test reads the server's counter.
    expect(await countDeadlocks()).toBe(before);
  }, 360_000);

  test('usage equals the sums of the rows, and blobs are live exactly while a content refers to them', async () => {
    const step = fc.record({
      kind: fc.constantFrom('delete', 'restore', 'purge', 'purge all', 'store', 'announce'),
      from: fc.nat(39),
      count: fc.integer({ min: 1, max: 15 }),
    });
    const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rounds, async (played) => {
        const ids = [
          ...(await seedContents(server, cloudID, 30, {}, 3)),
          ...(await seedContents(server, cloudID, 10, { state: 'RECYCLED' })),
        ];
        const initial = await findStates(server, ids);
        for (const round of played) {
          const responses = await Promise.all(
            round.map(({ kind, from, count }) => runOperation(kind, [...ids, ...ids].slice(from, from + count))),
          );
          expect(responses.map((response) => response?.status ?? 200)).toEqual(responses.map(() => 200));
          await expectUsageConsistent(server, cloudID);
        }
        await waitUntilNothingIsEmptied();
        await expectUsageConsistent(server, cloudID);
        await expectEventsMatchStates(ids, initial);
        await expectBlobStates();
      }),
      { numRuns: propertyRuns(8) },
    );
  }, 720_000);

  async function runOperation(kind: string, ids: readonly string[]): Promise<ApiResponse<unknown> | undefined> {
    if (kind === 'delete') return deletion(guardian, ids);
    if (kind === 'restore') return restoration(owner, ids);
    if (kind === 'purge') return purge(ids);
    if (kind === 'purge all') return owner.post('purgeContents', { cloudID, all: true });
    if (kind === 'announce') return owner.announce(cloudID, { contentName: 'file', contentSize: 7 });
    await owner.uploadFile(cloudID, 'file', Buffer.from(ids.join()));
    return undefined;
  }

  const waitUntilNothingIsEmptied = () =>
    waitUntil('all recycle bins to be emptied', async () => {
      await server.get(RecycleBinService).emptyRequestedBins();
      return (await server.query('SELECT FROM mcdisk.bin_emptying')).length === 0;
    });

  /** Checks that a blob is live exactly while an unpurged content refers to it. */
  async function expectBlobStates(): Promise<void> {
    const wrong = await server.query(
      `SELECT b.blob_key, b.state FROM mcdisk.blob b
        WHERE b.cloud_id = $1 AND (b.state = 'LIVE')
              <> EXISTS (SELECT FROM mcdisk.content c WHERE c.blob_key = b.blob_key AND c.state <> 'PURGED')`,
      [cloudID],
    );
    expect(wrong).toEqual([]);
  }
});
