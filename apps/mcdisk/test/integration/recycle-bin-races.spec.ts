import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { RecycleBinEmptyingJob } from '../../src/contexts/recycle-bin/recycle-bin-emptying.job.js';
import { CloudClient } from '../support/cloud-client.js';
import type { Answer } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import { quotaOf, seedContents, statesOf } from '../support/seeded-contents.js';

const EFFECT: Readonly<Record<string, string>> = {
  'mcdisk.content.recycled': 'RECYCLED',
  'mcdisk.content.restored': 'ACTIVE',
  'mcdisk.content.purged': 'PURGED',
};

describe('deleting, taking back, purging and uploading at the same time', () => {
  let server: CloudServer;
  let cloudID: string;
  let owner: CloudClient;
  let guardian: CloudClient;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
    owner = await CloudClient.of(server, family.owner);
    guardian = await CloudClient.of(server, family.guardian);
  });

  const deletion = (client: CloudClient, contentIDList: readonly string[]) => client.delete(cloudID, contentIDList);
  const restoration = (client: CloudClient, contentIDList: readonly string[]) =>
    client.post('restoreContents', { cloudID, contentIDList });
  const purge = (contentIDList: readonly string[]) => owner.post('purgeContents', { cloudID, contentIDList });

  async function expectQuotaRight(): Promise<void> {
    const { said, counted } = await quotaOf(server, cloudID);
    expect(said).toEqual(counted);
  }

  /** Whoever only listens to the events must know what is there. */
  async function expectEventsTellStates(ids: readonly string[], before: ReadonlyMap<string, string>): Promise<void> {
    const told = new Map(before);
    const events = await server.unitOfWork.executor.query<{ name: string; payload: { contentIDs: string[] } }>(
      `SELECT name, payload FROM mcdisk.outbox WHERE key = $1 AND name LIKE 'mcdisk.content.%' ORDER BY position`,
      [cloudID],
    );
    for (const { name, payload } of events) {
      for (const id of payload.contentIDs) if (EFFECT[name]) told.set(id, EFFECT[name]);
    }
    expect(new Map(ids.map((id) => [id, told.get(id)]))).toEqual(await statesOf(server, ids));
  }

  async function deadlocks(): Promise<number> {
    const [row] = await server.unitOfWork.executor.query<{ deadlocks: number }>(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    return row?.deadlocks ?? 0;
  }

  test('a deletion and a restoration of overlapping files end as if one had come after the other', async () => {
    const before = await deadlocks();
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
        const initial = await statesOf(server, ids);
        const pick = (stream: fc.Stream<boolean>) => ids.filter(() => stream.next().value);
        const mixed = (list: string[]) => {
          const keys = new Map(list.map((id) => [id, shuffled.next().value]));
          return list.toSorted((one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0));
        };
        const [toDelete, toRestore] = [mixed(pick(deleted)), mixed(pick(restored))];
        const answers = await Promise.all([
          ...(toDelete.length > 0 ? [deletion(owner, toDelete), deletion(guardian, toDelete.toReversed())] : []),
          ...(toRestore.length > 0
            ? [restoration(owner, toRestore), restoration(guardian, toRestore.toReversed())]
            : []),
        ]);
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        expect(answers.flatMap(({ body }) => (body.data as Record<string, string[]>)['failureContIDList'])).toEqual([]);
        const after = await statesOf(server, ids);
        const both = toDelete.filter((id) => toRestore.includes(id));
        expect(new Set(both.map((id) => after.get(id))).size).toBeLessThanOrEqual(1);
        for (const id of ids.filter((each) => !both.includes(each))) {
          const expected = toDelete.includes(id) ? 'RECYCLED' : toRestore.includes(id) ? 'ACTIVE' : initial.get(id);
          expect(after.get(id)).toBe(expected);
        }
        await expectEventsTellStates(ids, initial);
        await expectQuotaRight();
      }),
      { numRuns: propertyRuns(13) },
    );
    // Whoever deadlocks is run again and nobody notices; so the server is asked.
    expect(await deadlocks()).toBe(before);
  }, 360_000);

  test('the quota is always the sum of what is there, and bytes are kept exactly as long as a file has them', async () => {
    const step = fc.record({
      kind: fc.constantFrom('delete', 'restore', 'purge', 'purge all', 'store', 'announce'),
      from: fc.nat(39),
      count: fc.integer({ min: 1, max: 15 }),
    });
    const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rounds, async (played) => {
        const ids = [
          ...(await seedContents(server, cloudID, 30, { copies: 3 })),
          ...(await seedContents(server, cloudID, 10, { state: 'RECYCLED' })),
        ];
        const initial = await statesOf(server, ids);
        for (const round of played) {
          const answers = await Promise.all(
            round.map(({ kind, from, count }) => play(kind, [...ids, ...ids].slice(from, from + count))),
          );
          expect(answers.map((answer) => answer?.status ?? 200)).toEqual(answers.map(() => 200));
          await expectQuotaRight();
        }
        await untilNothingIsEmptied();
        await expectQuotaRight();
        await expectEventsTellStates(ids, initial);
        await expectBytesKept();
      }),
      { numRuns: propertyRuns(8) },
    );
  }, 720_000);

  async function play(kind: string, ids: readonly string[]): Promise<Answer<unknown> | undefined> {
    if (kind === 'delete') return deletion(guardian, ids);
    if (kind === 'restore') return restoration(owner, ids);
    if (kind === 'purge') return purge(ids);
    if (kind === 'purge all') return owner.post('purgeContents', { cloudID, all: true });
    if (kind === 'announce') return owner.announce(cloudID, { contentName: 'file', contentSize: 7 });
    await owner.store(cloudID, 'file', Buffer.from(ids.join()));
    return undefined;
  }

  const untilNothingIsEmptied = () =>
    waitUntil('no bin is emptied', async () => {
      await server.app.get(RecycleBinEmptyingJob, { strict: false }).run();
      return (await server.unitOfWork.executor.query('SELECT FROM mcdisk.bin_emptying')).length === 0;
    });

  /** A blob is live exactly as long as a content that is not purged refers to it. */
  async function expectBytesKept(): Promise<void> {
    const wrong = await server.unitOfWork.executor.query(
      `SELECT b.blob_key, b.state FROM mcdisk.blob b
        WHERE b.cloud_id = $1 AND (b.state = 'LIVE')
              <> EXISTS (SELECT FROM mcdisk.content c WHERE c.blob_key = b.blob_key AND c.state <> 'PURGED')`,
      [cloudID],
    );
    expect(wrong).toEqual([]);
  }
});
