import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { McdiskAccountErasure } from '../../src/cleanup/mcdisk-account-erasure.service.js';
import { CleanupService } from '../../src/cleanup/cleanup.service.js';
import { putBytes } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { countStates, findInconsistencies, finishCleanup } from '../support/cleanup.js';
import { storeContent } from '../support/stored-content.js';

const HOUR_MS = 60 * 60_000;

describe('A24 cleanup after an account was erased', () => {
  let { family, cloudID } = {} as TestCloud;
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ family, cloudID } = await createCloud(server));
  });

  const query = <Row = Record<string, unknown>>(sql: string, parameters: unknown[] = []) =>
    server.query<Row>(sql, parameters);
  /**
   * Returns the names of the tables with a row that contains the id. Skips the event tables, whose rows expire by
   * themselves, the projection of memberships, which follows the events of userctx, and the erasure itself, which looks for
   * late rows for a week.
   */
  const tablesWith = async (id: string) => {
    const tables = await query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'mcdisk' AND tablename <> ALL ($1)`,
      [['outbox', 'inbox', 'parked', 'dead_letter', 'relay', 'migrations', 'family_projection', 'account_erasure']],
    );
    const tablesFound: string[] = [];
    for (const { name } of tables) {
      const found = await query(`SELECT FROM mcdisk.${name} t WHERE t::text LIKE '%' || $1 || '%'`, [id]);
      if (found.length > 0) tablesFound.push(name);
    }
    return tablesFound;
  };
  /** Runs all passes of the erasures, with a clock that is fast, so that the next passes are due at once. */
  const finishErasure = () =>
    waitFor(async () => {
      const later = Date.now() + 5_000;
      await finishCleanup(server, later);
      await server.get(McdiskAccountErasure).continue(later, new AbortController().signal);
      expect(await query('SELECT FROM mcdisk.account_erasure WHERE confirmed_at IS NULL')).toEqual([]);
    });
  const erase = (userId: string) =>
    server.publish('userctx', {
      name: 'userctx.account.erased',
      key: `user:${userId}`,
      payload: { userId, familyIds: [], cids: [], dids: [], receiptId: randomUUID(), time: Date.now() },
    });

  test('keeps the contents of the erased account for the family and deletes every trace of the account', async () => {
    const { guardian } = family;
    const client = await server.as(guardian);
    const uploader = `user:${guardian.id}`;
    const stored = await Promise.all(Array.from({ length: 20 }, () => storeContent(server, cloudID, { uploader })));
    const added = stored.map(({ contentID }) => contentID);
    await client.post('createCloudDoc', { cloudID, catalogName: 'Folder' }, { 'idempotency-key': randomUUID() });
    await client.createAlbum(cloudID);
    await client.post('createBatchOprTask', { cloudID, taskType: 2, contentIDList: [added[0]] });
    await client.delete(cloudID, [added[1]]);
    const { uploadURL } = await client.announceFile(cloudID, 7);
    expect(await tablesWith(guardian.id)).toEqual(expect.arrayContaining(['album', 'catalog', 'content', 'upload']));

    await erase(guardian.id);
    await erase(guardian.id);
    await finishErasure();
    expect(await tablesWith(guardian.id)).toEqual([]);
    expect((await putBytes(uploadURL, randomBytes(7))).status).toBe(404);
    expect((await server.findSizes(cloudID)).reservedSize).toBe(0);
    const { ACTIVE = 0, RECYCLED = 0 } = await countStates(server, cloudID);
    expect(ACTIVE + RECYCLED).toBe(20);
    await server.publishFamily({
      ...family.snapshot,
      version: 2,
      members: family.snapshot.members.filter(({ userId }) => userId !== guardian.id),
    });
    expect(await tablesWith(guardian.id)).toEqual([]);
    expect(await findInconsistencies(server)).toEqual([]);
  });

  // The events of a person's second family have another key, so that the snapshot may arrive later.
  test.each([
    ['before', true],
    ['after', false],
  ])('erases the cloud of a family whose end arrives %s the event, and confirms it', async (_title, isEarly) => {
    const { owner } = family;
    const receiptId = randomUUID();
    await storeContent(server, cloudID, { uploader: `user:${owner.id}` });
    await storeContent(server, cloudID);
    const publishEnd = () =>
      server.publishFamily({ ...family.snapshot, version: 3, dissolved: true, members: [], children: [] });
    if (isEarly) await publishEnd();
    const subjects = { userId: owner.id, familyIds: [cloudID], cids: [], dids: [] };
    const event = { name: 'userctx.account.erased' as const, key: cloudID };
    await server.publish('userctx', { ...event, payload: { ...subjects, receiptId, time: Date.now() } });
    if (!isEarly) {
      await server.publishFamily({ ...family.snapshot, version: 2 });
      await waitFor(async () => {
        await server.get(CleanupService).run(Date.now());
        expect(await query(`SELECT FROM mcdisk.ending WHERE kind = 'ACCOUNT'`)).toEqual([]);
      });
      expect(await countStates(server, cloudID)).toEqual({ ACTIVE: 2 });
      await publishEnd();
    }
    await finishErasure();
    const confirmations = await query<{ payload: { receiptId: string; counts: object } }>(
      `SELECT payload FROM mcdisk.outbox WHERE name = 'mcdisk.account-erasure.confirmed'`,
    );
    expect(confirmations.find(({ payload }) => payload.receiptId === receiptId)?.payload.counts).toMatchObject({
      content: 2,
      blob: 2,
      family_cloud: 1,
    });
    expect(await tablesWith(cloudID)).toEqual([]);
    expect(await query('SELECT FROM mcdisk.outbox WHERE payload::text LIKE $1', [`%${cloudID}%`])).toEqual([]);
  });

  test('deletes the grants of erased children, also if the event of the child was lost', async () => {
    const [cid, friend] = [randomUUID(), randomUUID()];
    for (const [from, to] of [
      [cid, friend],
      [friend, cid],
      [friend, friend],
    ])
      await query(
        `INSERT INTO mcdisk.media_grant
           (content_id, message_id, cloud_id, from_cid, to_cid, to_family_id, granted_at, expires_at)
         VALUES (gen_random_uuid(), 'm', 'c', $1, $2, 'f', 0, $3)`,
        [from, to, Date.now() + HOUR_MS],
      );
    const subjects = { userId: randomUUID(), familyIds: [randomUUID()], cids: [cid], dids: [] };
    const payload = { ...subjects, receiptId: randomUUID(), time: Date.now() };
    await server.publish('userctx', { name: 'userctx.account.erased', key: `user:${subjects.userId}`, payload });
    expect(await query('SELECT from_cid, to_cid FROM mcdisk.media_grant WHERE message_id = $1', ['m'])).toEqual([
      { from_cid: friend, to_cid: friend },
    ]);
    await query('DELETE FROM mcdisk.account_erasure WHERE receipt_id = $1', [payload.receiptId]);
    await query('DELETE FROM mcdisk.ending WHERE subject = $1', [subjects.familyIds[0]]);
  });

  test('changes nothing when the erased account is unknown', async () => {
    await storeContent(server, cloudID);
    await erase(randomUUID());
    await finishErasure();
    expect(await countStates(server, cloudID)).toEqual({ ACTIVE: 1 });
    expect(await query(`SELECT FROM mcdisk.ending WHERE kind = 'ACCOUNT'`)).toEqual([]);
  });
});
