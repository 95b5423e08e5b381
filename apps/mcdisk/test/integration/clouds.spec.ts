import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { withFastClock } from '../support/fast-clock.js';
import type { ApiResponse } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { seedContents } from '../support/seeded-cloud.js';
import { createCloud } from '../support/test-cloud.js';
import { sampleFamily, createUser, watchPrincipal } from '../support/family.js';

/** Response data of queryFamilyCloud. */
interface CloudList {
  familyCloudList: { cloudID: string; role: string; cloudType: number; createTime: number }[];
  totalCount: number;
}

/** Number of concurrent requests: as many as the service has database connections. */
const REQUEST_COUNT = 10;

// Uses a separate server, because a test counts the connections of the whole database, and another one delays the family events for all requests.
describe('family clouds', () => {
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());

  const clouds = async (principal: Principal, body: object = {}) =>
    (await server.as(principal)).post<CloudList>('queryFamilyCloud', body);

  describe('queryFamilyCloud', () => {
    const family = sampleFamily();

    beforeAll(() => server.publishFamily(family.snapshot));

    test.each([
      ['OWNER', family.owner],
      ['MANAGER', family.guardian],
      ['MEMBER', family.caregiver],
      ['MEMBER', family.contact],
      ['CHILD_DEVICE', family.watches[0]!],
    ])('returns one cloud with the role %s', async (role, principal) => {
      const { body } = await clouds(principal);
      expect(body).toEqual({
        code: 0,
        msg: 'ok',
        data: {
          totalCount: 1,
          familyCloudList: [
            {
              cloudID: family.cloudID,
              cloudName: expect.any(String),
              cloudType: 1,
              createTime: expect.any(Number),
              lastUpdateTime: expect.any(Number),
              role,
            },
          ],
        },
      });
    });

    test('returns the clouds of several families in pages, oldest first', async () => {
      const relative = createUser();
      const families = [sampleFamily(), sampleFamily(), sampleFamily()];
      for (const [index, one] of families.entries()) {
        one.snapshot.members.push({ userId: relative.id, role: 3, permissions: ['CLOUD'], childPermissions: {} });
        await server.publishFamily(one.snapshot, Date.now() - 1_000 + index);
      }
      const page = async (pageNum: number) =>
        (await clouds(relative, { pageInfo: { pageNum, pageSize: 2 } })).body.data;
      const pages = [await page(1), await page(2), await page(3)];
      expect(pages.map(({ totalCount }) => totalCount)).toEqual([3, 3, 3]);
      expect(pages.map(({ familyCloudList }) => familyCloudList.map(({ cloudID }) => cloudID))).toEqual([
        [families[0]!.cloudID, families[1]!.cloudID],
        [families[2]!.cloudID],
        [],
      ]);
      expect((await clouds(relative, { pageInfo: { pageNum: 0 } })).status).toBe(400);
    });

    test('returns no clouds to a user without a family, to an unbound watch and for a dissolved family', async () => {
      const dissolved = sampleFamily();
      await server.publishFamily({ ...dissolved.snapshot, dissolved: true });
      const principals = [createUser(), watchPrincipal(99), dissolved.owner];
      const answers = await withFastClock(() => Promise.all(principals.map((principal) => clouds(principal))));
      for (const { body } of answers) expect(body.data).toEqual({ familyCloudList: [], totalCount: 0 });
    });

    test('returns a cloud once the family has had a child, even after the child is removed', async () => {
      const childless = sampleFamily();
      await server.publishFamily({ ...childless.snapshot, children: [] });
      expect((await withFastClock(() => clouds(childless.owner))).body.data.totalCount).toBe(0);
      await server.publishFamily({ ...childless.snapshot, version: 2 });
      await server.publishFamily({ ...childless.snapshot, version: 3, children: [] });
      expect((await clouds(childless.owner)).body.data.totalCount).toBe(1);
    });
  });

  describe('a request that arrives before its family event', () => {
    afterEach(() => void jest.restoreAllMocks());

    /** Stops the clock of the service, so that a request waits for its event for as long as the test takes. */
    const stopClock = () => jest.spyOn(Date, 'now').mockReturnValue(Date.now());

    test('succeeds when the event is received while the request waits', async () => {
      stopClock();
      const family = sampleFamily();
      const owner = await server.as(family.owner);
      const pending = [
        owner.delete(family.cloudID, ['x']),
        clouds(family.owner),
        (await server.as(family.watches[0]!)).delete(family.cloudID, ['x']),
      ] as const;
      setTimeout(() => void server.publishFamily(family.snapshot), 50);
      const [deleted, listed, byWatch] = await Promise.all(pending);
      expect(deleted.body.data.failureContIDList).toEqual(['x']);
      expect(listed.body.data.totalCount).toBe(1);
      expect(byWatch.status).toBe(200);
    });

    test('waits and succeeds while another caller has the maximum number of waiting requests', async () => {
      const [flooding, late] = [sampleFamily(), sampleFamily()];
      const client = await server.as(flooding.owner);
      const owner = await server.as(late.owner);
      const familyEvents = server.get(FamilyEventMonitor);
      const waits = Array.from({ length: 32 }, () =>
        familyEvents.waitForNext(principalKey(flooding.owner), 10 * 60_000),
      );
      expect((await client.delete(randomUUID(), ['x'])).body.reason).toBe('CLOUD_NOT_READY');
      const clock = stopClock();
      const pending = owner.delete(late.cloudID, ['x']);
      await waitUntil('the request to wait', async () => familyEvents.countWaiters(principalKey(late.owner)) > 0);
      await server.publishFamily(late.snapshot);
      expect((await pending).status).toBe(200);
      clock.mockRestore();
      familyEvents.recordEvent([principalKey(flooding.owner)], Date.now());
      await Promise.all(waits);
      const { body } = await withFastClock(() => client.delete(randomUUID(), ['x']));
      expect(body.reason).toBe('CLOUD_NOT_FOUND');
    });

    test('gets 503 instead of 404 for any cloud id while the received events are ten seconds old', async () => {
      const [known, late] = [sampleFamily(), sampleFamily()];
      await server.publishFamily(known.snapshot, Date.now() - 10_000);
      const owner = await server.as(late.owner);
      const responses = [
        await owner.delete(late.cloudID, ['x']),
        await owner.delete(known.cloudID, ['x']),
        await owner.delete('nonsense', ['x']),
        await owner.post('queryFamilyCloud', {}),
      ];
      for (const response of responses) {
        expect([response.status, response.body.reason]).toEqual([503, 'CLOUD_NOT_READY']);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
      // While the family events lag, requests of members of known families succeed.
      const member = await server.as(known.owner);
      expect((await member.delete(known.cloudID, ['x'])).status).toBe(200);
      await server.publishFamily({ ...known.snapshot, version: 2 });
      const { body } = await withFastClock(() => owner.delete(late.cloudID, ['x']));
      expect(body.reason).toBe('CLOUD_NOT_FOUND');
    });

    test.each([
      ['createCloudDoc', { catalogName: 'x' }],
      ['createCloudPhoto', { photoName: 'x' }],
      ['createBatchOprTask', { taskType: 2, contentIDList: [randomUUID()] }],
      ['authorize', { userId: randomUUID(), contentIDList: [randomUUID()] }],
    ])('%s with an idempotency key waits without occupying a database connection', async (operation, body) => {
      const familyEvents = server.get(FamilyEventMonitor);
      const wait = jest.spyOn(familyEvents, 'waitForNext');
      const client = await server.as(createUser());
      // The service's clock stops, so that the requests wait until the assertions have been made.
      const clock = stopClock();
      let answered = 0;
      const waiting = Array.from({ length: REQUEST_COUNT }, async (): Promise<ApiResponse> => {
        const key = { 'idempotency-key': randomUUID() };
        const answer = await client.post(operation, { cloudID: randomUUID(), ...body }, key);
        answered += 1;
        return answer;
      });
      await waitUntil('all requests to wait', () => familyEvents.waiterCount === REQUEST_COUNT || answered > 0);
      // A job may hold a connection for a moment. A request that holds one holds it until it is answered.
      await waitUntil('no idle transaction', async () => (await countIdleTransactions(server)) === 0 || answered > 0);
      expect(answered).toBe(0);
      expect(wait).toHaveBeenCalled();
      clock.mockRestore();
      const answers = await withFastClock(() => Promise.all(waiting));
      for (const { body: refused } of answers) expect(refused.reason).toBe('CLOUD_NOT_FOUND');
    });
  });

  test('queryContentList sorts newest first by default, and rejects unknown sortings', async () => {
    const { cloudID, owner } = await createCloud(server);
    const ids = await seedContents(server, cloudID, 3);
    expect(await owner.listIds(cloudID)).toEqual(ids.toReversed());
    for (const sorting of [{ contentSortType: 5 }, { sortDirection: 2 }, { contentSortType: '0' }])
      expect((await owner.post('queryContentList', { cloudID, ...sorting })).status).toBe(400);
  });
});

/** Returns the number of database connections that are idle in a transaction. */
function countIdleTransactions(server: CloudServer): Promise<number> {
  return withClient(server.shared.databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction' AND pid <> pg_backend_pid()`,
    );
    return rows[0]?.count ?? 0;
  });
}
