import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ContentRepository } from '../../src/files/contents/content.repository.js';
import { CloudRepository } from '../../src/clouds/cloud.repository.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { expectUsageConsistent, seedContents, findStates } from '../support/seeded-cloud.js';

const CONTENT_SIZE = 10;
const CONTENT_COUNT = 3;

// After waiting for a lock, the deletion must use the current rows and not the rows of its snapshot. Uses a separate
// server, because the tests look for waiting statements in the whole database.
describe('deleteContents waiting for contents that another transaction has locked', () => {
  let { cloudID, owner } = {} as TestCloud;
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ cloudID, owner } = await createCloud(server));
  });

  const states = () => server.get(ContentRepository);
  const clouds = () => server.get(CloudRepository);

  const waitForBlockedStatement = () =>
    waitUntil('a statement to wait for a lock', async () => {
      const rows = await server.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });

  /**
   * Runs `change` in a transaction that locks the contents, and calls deleteContents for these contents before the
   * commit. Commits the transaction once the deletion waits for its locks.
   */
  async function deleteWhileLocked(ids: readonly string[], change: () => Promise<void>): Promise<void> {
    const made = Promise.withResolvers<void>();
    const isBlocked = Promise.withResolvers<void>();
    const transaction = server.unitOfWork.run(async () => {
      await states().lock(cloudID, ids);
      await change();
      made.resolve();
      await isBlocked.promise;
    });
    await made.promise;
    const deletion = owner.delete(cloudID, [...ids].reverse());
    await waitForBlockedStatement().finally(() => isBlocked.resolve());
    await transaction;
    const { status, body } = await deletion;
    expect([status, body.data]).toEqual([200, { deleteContIDList: [...ids].reverse(), failureContIDList: [] }]);
  }

  const eventsOf = () =>
    server.query<{ ids: string[] }>(
      `SELECT payload -> 'contentIDs' AS ids FROM mcdisk.outbox
        WHERE name = 'mcdisk.content.recycled' AND key = $1 ORDER BY position`,
      [cloudID],
    );

  async function expectRecycled(ids: readonly string[]): Promise<void> {
    expect(new Set((await findStates(server, ids)).values())).toEqual(new Set(['RECYCLED']));
    await expectUsageConsistent(server, cloudID);
    expect((await server.findSizes(cloudID)).recycleSize).toBe(ids.length * CONTENT_SIZE);
  }

  test('deletes contents that the other transaction restored', async () => {
    const ids = await seedContents(server, cloudID, CONTENT_COUNT, { state: 'RECYCLED', size: CONTENT_SIZE });
    await deleteWhileLocked(ids, async () => {
      await states().restore(cloudID, ids, { parentFolderId: null, now: Date.now() });
      await clouds().restore(cloudID, CONTENT_COUNT * CONTENT_SIZE, Date.now());
    });
    await expectRecycled(ids);
    expect((await eventsOf()).flatMap((event) => event.ids).toSorted()).toEqual(ids.toSorted());
  });

  test('succeeds without a second event for contents that the other transaction deleted', async () => {
    const ids = await seedContents(server, cloudID, CONTENT_COUNT, { size: CONTENT_SIZE });
    await deleteWhileLocked(ids, async () => {
      await states().recycle(cloudID, ids, Date.now());
      await clouds().recycle(cloudID, CONTENT_COUNT * CONTENT_SIZE, Date.now());
    });
    await expectRecycled(ids);
    expect(await eventsOf()).toEqual([]);
  });

  test('publishes an event only for the contents that the other transaction did not delete', async () => {
    const ids = await seedContents(server, cloudID, CONTENT_COUNT, { size: CONTENT_SIZE });
    const [firstId = ''] = ids.toSorted();
    await deleteWhileLocked(ids, async () => {
      await states().recycle(cloudID, [firstId], Date.now());
      await clouds().recycle(cloudID, CONTENT_SIZE, Date.now());
    });
    await expectRecycled(ids);
    const [event] = await eventsOf();
    expect(event?.ids.toSorted()).toEqual(ids.toSorted().slice(1));
  });
});
