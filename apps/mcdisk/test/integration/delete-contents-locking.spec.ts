import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ContentStateRepository } from '../../src/contexts/contents/content-state.repository.js';
import { CloudRepository } from '../../src/contexts/clouds/cloud.repository.js';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import { quotaOf, seedContents, statesOf } from '../support/seeded-contents.js';

const SIZE = 10;
const EACH = 3;

/** The statement that deletes waits inside of itself: what it finds then is newer than what it began with. */
// On a server of its own: it looks for locks in the whole database.
describe('deleteContents waits for whoever has the files', () => {
  let server: CloudServer;
  let cloudID: string;
  let owner: CloudClient;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
    owner = await CloudClient.of(server, family.owner);
  });

  const states = () => server.app.get(ContentStateRepository, { strict: false });
  const clouds = () => server.app.get(CloudRepository, { strict: false });

  const untilSomebodyWaits = () =>
    waitUntil('a statement waits for a lock', async () => {
      const rows = await server.unitOfWork.executor.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });

  /** Deletes everything while `change` has been made, and is committed only when the deletion waits for it. */
  async function deletedBehind(ids: readonly string[], change: () => Promise<void>): Promise<void> {
    const made = Promise.withResolvers<void>();
    const waitedFor = Promise.withResolvers<void>();
    const changing = server.unitOfWork.run(async () => {
      await states().lock(cloudID, ids);
      await change();
      made.resolve();
      await waitedFor.promise;
    });
    await made.promise;
    const deletion = owner.delete(cloudID, [...ids].reverse());
    await untilSomebodyWaits().finally(() => waitedFor.resolve());
    await changing;
    const { status, body } = await deletion;
    expect([status, body.data]).toEqual([200, { deleteContIDList: [...ids].reverse(), failureContIDList: [] }]);
  }

  const eventsOf = () =>
    server.unitOfWork.executor.query<{ ids: string[] }>(
      `SELECT payload -> 'contentIDs' AS ids FROM mcdisk.outbox
        WHERE name = 'mcdisk.content.recycled' AND key = $1 ORDER BY position`,
      [cloudID],
    );

  async function expectInBin(ids: readonly string[]): Promise<void> {
    expect(new Set((await statesOf(server, ids)).values())).toEqual(new Set(['RECYCLED']));
    const { said, counted } = await quotaOf(server, cloudID);
    expect(said).toEqual(counted);
    expect(said.recycleSize).toBe(ids.length * SIZE);
  }

  test('what was taken back meanwhile is deleted again', async () => {
    const ids = await seedContents(server, cloudID, EACH, { state: 'RECYCLED', size: SIZE });
    await deletedBehind(ids, async () => {
      await states().restore(cloudID, ids, { parentFolderId: null, now: Date.now() });
      await clouds().restore(cloudID, EACH * SIZE, Date.now());
    });
    await expectInBin(ids);
    expect((await eventsOf()).flatMap((event) => event.ids).toSorted()).toEqual(ids.toSorted());
  });

  test('what was deleted meanwhile is deleted once', async () => {
    const ids = await seedContents(server, cloudID, EACH, { size: SIZE });
    await deletedBehind(ids, async () => {
      await states().recycle(cloudID, ids, Date.now());
      await clouds().recycle(cloudID, EACH * SIZE, Date.now());
    });
    await expectInBin(ids);
    expect(await eventsOf()).toEqual([]);
  });

  test('what was deleted in part meanwhile is deleted once, too', async () => {
    const ids = await seedContents(server, cloudID, EACH, { size: SIZE });
    const [one = ''] = ids.toSorted();
    await deletedBehind(ids, async () => {
      await states().recycle(cloudID, [one], Date.now());
      await clouds().recycle(cloudID, SIZE, Date.now());
    });
    await expectInBin(ids);
    const [event] = await eventsOf();
    expect(event?.ids.toSorted()).toEqual(ids.toSorted().slice(1));
  });
});
