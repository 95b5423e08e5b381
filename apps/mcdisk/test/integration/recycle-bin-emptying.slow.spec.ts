import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RECYCLE_BIN_RETENTION_MS } from '@family-watch/domain/family-cloud/contracts/content';
import type { PurgeContentsResultDto } from '@family-watch/domain/family-cloud/dto/recycle-bin.dto';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { EMPTYING_JOB, RecycleBinService } from '../../src/files/recycle-bin/recycle-bin.service.js';
import { ContentDeletionService } from '../../src/files/contents/content-deletion.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { expectUsageConsistent, seedContents, findStates } from '../support/seeded-cloud.js';

const HOUR_MS = 60 * 60 * 1_000;

describe('background purge of recycle bins', () => {
  let { family, cloudID, owner } = {} as TestCloud;
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ family, cloudID, owner } = await createCloud(server));
  });

  const purges = () => server.get(RecycleBinService);
  const jobs = () => server.get(JobScheduler);
  const purgeAll = () => owner.post<PurgeContentsResultDto>('purgeContents', { cloudID, all: true });
  const requests = () => server.query('SELECT FROM mcdisk.bin_emptying WHERE cloud_id = $1', [cloudID]);
  const states = async (ids: readonly string[]) => new Set((await findStates(server, ids)).values());
  const waitUntilEmptied = () =>
    waitUntil('the recycle bin to be empty', async () => {
      await purges().emptyRequestedBins();
      return (await requests()).length === 0;
    });
  const expectQuotaRight = () => expectUsageConsistent(server, cloudID);
  const purgeEvents = () =>
    server.query<{ payload: { contentIDs: string[]; by: string | null } }>(
      `SELECT payload FROM mcdisk.outbox WHERE name = 'mcdisk.content.purged' AND key = $1 ORDER BY position`,
      [cloudID],
    );

  test('purges each content of the recycle bin exactly once, and no other contents', async () => {
    const recycled = await seedContents(server, cloudID, 950, { state: 'RECYCLED' }, 3);
    const active = await seedContents(server, cloudID, 5);
    const { status, body } = await purgeAll();
    expect([status, body.data]).toEqual([200, { purgeContIDList: [], failureContIDList: [], purging: 950 }]);
    await waitUntilEmptied();
    expect([await states(recycled), await states(active)]).toEqual([new Set(['PURGED']), new Set(['ACTIVE'])]);
    await expectQuotaRight();
    const events = await purgeEvents();
    expect(events.flatMap(({ payload }) => payload.contentIDs).toSorted()).toEqual(recycled.toSorted());
    expect(new Set(events.map(({ payload }) => payload.by))).toEqual(new Set([`user:${family.owner.id}`]));
    const blobs = await server.query(
      'SELECT state, count(*)::int AS count FROM mcdisk.blob WHERE cloud_id = $1 GROUP BY state ORDER BY state',
      [cloudID],
    );
    expect(blobs).toEqual([
      { state: 'CONDEMNED', count: 317 },
      { state: 'LIVE', count: 5 },
    ]);
  });

  test('stores no request for an empty recycle bin', async () => {
    expect((await purgeAll()).body.data.purging).toBe(0);
    expect(await requests()).toEqual([]);
  });

  test('keeps contents whose deletion time is after the request', async () => {
    const before = await seedContents(server, cloudID, 3, { state: 'RECYCLED' });
    const later = await seedContents(server, cloudID, 3, { state: 'RECYCLED', recycledAt: Date.now() + HOUR_MS });
    expect((await purgeAll()).body.data.purging).toBe(3);
    await waitUntilEmptied();
    expect([await states(before), await states(later)]).toEqual([new Set(['PURGED']), new Set(['RECYCLED'])]);
    await expectQuotaRight();
  });

  test('skips contents that another transaction has locked, and purges them later', async () => {
    const ids = await seedContents(server, cloudID, 450, { state: 'RECYCLED' });
    const locked = ids.slice(100, 101) as [string];
    await server.withLockedRow('content', 'content_id', locked[0], async () => {
      await purgeAll();
      const free = ids.filter((id) => !locked.includes(id));
      await waitUntil('all other contents to be purged', async () => {
        jobs().trigger(EMPTYING_JOB);
        return !(await states(free)).has('RECYCLED');
      });
      expect(await states(locked)).toEqual(new Set(['RECYCLED']));
      expect(await requests()).toHaveLength(1);
    });
    await waitUntilEmptied();
    expect(await states(ids)).toEqual(new Set(['PURGED']));
    await expectQuotaRight();
  });

  test('continues after the transaction of the second batch fails before its commit', async () => {
    const ids = await seedContents(server, cloudID, 700, { state: 'RECYCLED' });
    const deletion = server.get(ContentDeletionService);
    const purge = deletion.purge.bind(deletion);
    let batches = 0;
    deletion.purge = async (...batch) => {
      await purge(...batch);
      // Fails between the write and the commit of the second batch.
      if ((batches += 1) === 2) throw new Error('Crashed');
    };
    try {
      await purgeAll();
      await waitUntil('the second batch to fail', async () => batches >= 2);
    } finally {
      deletion.purge = purge;
    }
    await expectQuotaRight();
    await waitUntilEmptied();
    expect(await states(ids)).toEqual(new Set(['PURGED']));
    await expectQuotaRight();
    const events = (await purgeEvents()).flatMap(({ payload }) => payload.contentIDs);
    expect(events.toSorted()).toEqual(ids.toSorted());
  });

  test('restoreContents returns the ids of exactly the restored contents while the recycle bin is emptied', async () => {
    const ids = await seedContents(server, cloudID, 800, { state: 'RECYCLED' });
    await purgeAll();
    const toRestore = ids.filter((_, index) => index % 4 === 0);
    const { body } = await owner.post<{ restoreContIDList: string[]; failureContIDList: string[] }>('restoreContents', {
      cloudID,
      contentIDList: toRestore,
    });
    await waitUntilEmptied();
    const after = await findStates(server, ids);
    const { restoreContIDList: restored, failureContIDList: notRestored } = body.data;
    expect([...restored, ...notRestored].toSorted()).toEqual(toRestore.toSorted());
    expect(new Set(restored.map((id) => after.get(id)))).toEqual(restored.length > 0 ? new Set(['ACTIVE']) : new Set());
    const rest = ids.filter((id) => !restored.includes(id));
    expect(new Set(rest.map((id) => after.get(id)))).toEqual(new Set(['PURGED']));
    await expectQuotaRight();
  });

  test('purges each content once when two runs are concurrent', async () => {
    const ids = await seedContents(server, cloudID, 900, { state: 'RECYCLED' });
    await purgeAll();
    await waitUntil('the recycle bin to be empty', async () => {
      await Promise.all([purges().emptyRequestedBins(), purges().emptyRequestedBins()]);
      return (await requests()).length === 0;
    });
    const events = (await purgeEvents()).flatMap(({ payload }) => payload.contentIDs);
    expect(events.toSorted()).toEqual(ids.toSorted());
    await expectQuotaRight();
  });

  test('purges contents of all clouds 30 days after deletion, and not earlier', async () => {
    const other = await createCloud(server);
    const now = Date.now();
    const [expiredAt, notYetAt] = [now - RECYCLE_BIN_RETENTION_MS - 1, now - RECYCLE_BIN_RETENTION_MS + HOUR_MS];
    const expired = [
      ...(await seedContents(server, cloudID, 420, { state: 'RECYCLED', recycledAt: expiredAt })),
      ...(await seedContents(server, other.cloudID, 30, { state: 'RECYCLED', recycledAt: expiredAt - HOUR_MS })),
    ];
    const remaining = await seedContents(server, cloudID, 3, { state: 'RECYCLED', recycledAt: notYetAt });
    expect(await purges().purgeExpired(now)).toBe(450);
    expect([await states(expired), await states(remaining)]).toEqual([new Set(['PURGED']), new Set(['RECYCLED'])]);
    expect(new Set((await purgeEvents()).map(({ payload }) => payload.by))).toEqual(new Set([null]));
    await expectQuotaRight();
    expect(await server.findSizes(other.cloudID)).toMatchObject({ recycleSize: 0 });
    expect(await purges().purgeExpired(now)).toBe(0);
  });

  test('stops after the current batch on shutdown; another process continues', async () => {
    const ids = await seedContents(server, cloudID, 80, { state: 'RECYCLED' });
    // This must be the last test, because it stops the job of the server, which cannot be started again.
    await jobs().stop(EMPTYING_JOB);
    const stopping = new AbortController();
    await server.query('INSERT INTO mcdisk.bin_emptying (cloud_id, requested_by, recycled_until) VALUES ($1, $2, $3)', [
      cloudID,
      'user:x',
      Date.now(),
    ]);
    const deletion = server.get(ContentDeletionService);
    const purge = deletion.purge.bind(deletion);
    const purging = jest.spyOn(deletion, 'purge').mockImplementationOnce(async (...batch) => {
      stopping.abort();
      await purge(...batch);
    });
    await purges().emptyRequestedBins(Date.now(), stopping.signal);
    expect(purging).toHaveBeenCalledTimes(1);
    purging.mockRestore();
    expect(await states(ids)).toEqual(new Set(['PURGED', 'RECYCLED']));
    // The second and last batch is due, but a stopped job does not process it.
    await server.query('UPDATE mcdisk.bin_emptying SET next_at = 0 WHERE cloud_id = $1', [cloudID]);
    await purges().emptyRequestedBins(Date.now(), stopping.signal);
    expect(await states(ids)).toEqual(new Set(['PURGED', 'RECYCLED']));
    await waitUntilEmptied();
    expect(await states(ids)).toEqual(new Set(['PURGED']));
  });
});
