import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyEventMonitor } from '../../src/contexts/clouds/family-event-monitor.js';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily, createUser, watchPrincipal } from '../support/family.js';

/** Response data of queryFamilyCloud. */
interface CloudList {
  familyCloudList: { cloudID: string; role: string; cloudType: number; createTime: number }[];
  totalCount: number;
}

// Uses a separate server, because a test delays the family events for all requests.
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
    });

    test('returns no clouds to a user without a family, to an unbound watch and for a dissolved family', async () => {
      const dissolved = sampleFamily();
      await server.publishFamily({ ...dissolved.snapshot, dissolved: true });
      for (const principal of [createUser(), watchPrincipal(99), dissolved.owner]) {
        expect((await clouds(principal)).body.data).toEqual({ familyCloudList: [], totalCount: 0 });
      }
    });

    test('returns a cloud once the family has had a child, even after the child is removed', async () => {
      const childless = sampleFamily();
      await server.publishFamily({ ...childless.snapshot, children: [] });
      expect((await clouds(childless.owner)).body.data.totalCount).toBe(0);
      await server.publishFamily({ ...childless.snapshot, version: 2 });
      await server.publishFamily({ ...childless.snapshot, version: 3, children: [] });
      expect((await clouds(childless.owner)).body.data.totalCount).toBe(1);
    });

    test.each([{ pageNum: 0 }, { pageSize: 0 }, { pageSize: 201 }, { pageNum: 'x' }])(
      'returns 400 for pageInfo %j',
      async (pageInfo) => {
        expect((await clouds(family.owner, { pageInfo })).status).toBe(400);
      },
    );
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
      expect((await client.delete(randomUUID(), ['x'])).body.reason).toBe('CLOUD_NOT_FOUND');
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
      expect((await owner.delete(late.cloudID, ['x'])).body.reason).toBe('CLOUD_NOT_FOUND');
    });
  });

  describe('queryContentList', () => {
    const family = sampleFamily();
    const { cloudID } = family;
    let owner: CloudClient;

    beforeAll(async () => {
      await server.publishFamily(family.snapshot);
      owner = await server.as(family.owner);
      for (const [name, size] of [
        ['b', 30],
        ['c', 10],
        ['a', 20],
      ] as const)
        await owner.uploadFile(cloudID, name, randomBytes(size));
    });

    test.each([
      ['sorts newest first by default', {}, 'acb'],
      ['sorts by update time, ascending', { contentSortType: 0, sortDirection: 0 }, 'bca'],
      ['sorts by name, ascending', { contentSortType: 1, sortDirection: 0 }, 'abc'],
      ['sorts by name, descending', { contentSortType: 1, sortDirection: 1 }, 'cba'],
      ['sorts by size, ascending', { contentSortType: 2, sortDirection: 0 }, 'cab'],
      ['sorts by creation time, descending', { contentSortType: 3, sortDirection: 1 }, 'acb'],
      ['returns the second page', { contentSortType: 1, sortDirection: 0, pageInfo: { pageNum: 2, pageSize: 2 } }, 'c'],
      ['returns an empty page beyond the end', { pageInfo: { pageNum: 9, pageSize: 2 } }, ''],
    ])('returns the contents in the requested order and page: %s', async (_, sorting, names) => {
      const listed = await owner.list(cloudID, { catalogID: '', ...sorting });
      expect(listed).toMatchObject({ path: 'root:', totalCount: 3, cloudCatalogList: [] });
      expect(listed.cloudContentList.map(({ contentName }) => contentName).join('')).toBe(names);
    });

    test('returns 404 for an unknown folder', async () => {
      const response = await owner.post('queryContentList', { cloudID, catalogID: 'x' });
      expect([response.status, response.body.reason]).toEqual([404, 'CATALOG_NOT_FOUND']);
    });

    test('returns no contents to a contact without shares', async () => {
      const contact = await server.as(family.contact);
      expect(await contact.list(cloudID)).toMatchObject({ totalCount: 0, cloudContentList: [] });
    });

    test.each([{ contentSortType: 4 }, { sortDirection: 2 }, { contentSortType: '0' }])(
      'returns 400 for the sorting %j',
      async (sorting) => {
        expect((await owner.post('queryContentList', { cloudID, ...sorting })).status).toBe(400);
      },
    );
  });
});
