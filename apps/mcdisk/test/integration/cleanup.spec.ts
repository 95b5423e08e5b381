import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { BlobStore } from '../../src/contexts/blobs/blob-store.js';
import { GarbageCollectionJob } from '../../src/contexts/garbage-collection/garbage-collection.job.js';
import { isStoreIdentityKey } from '../../src/contexts/garbage-collection/store-identity.service.js';
import { ChildCleanupService } from '../../src/contexts/cleanup/child-cleanup.service.js';
import { CLEANUP_TABLES } from '../../src/contexts/cleanup/cloud-cleanup.repository.js';
import { CleanupJob } from '../../src/contexts/cleanup/cleanup.job.js';
import { Fsck } from '../../src/contexts/fsck/fsck.js';
import { RecycleBinExpiryJob } from '../../src/contexts/recycle-bin/recycle-bin-expiry.job.js';
import { CloudClient, putBytes } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';
import { storeContent } from '../support/stored-content.js';
import { openPatch } from '../support/tus-requests.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOTHING = { usedSize: 0, reservedSize: 0, recycleSize: 0 };

describe('the end', () => {
  let server: CloudServer;
  let job: CleanupJob;
  let family: SampleFamily;
  let cloudID: string;
  let owner: CloudClient;

  beforeAll(async () => {
    server = await CloudServer.start();
    job = server.app.get(CleanupJob, { strict: false });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
    owner = await CloudClient.of(server, family.owner);
  });

  const query = <Row = Record<string, unknown>>(sql: string, parameters: unknown[] = []) =>
    server.unitOfWork.executor.query<Row>(sql, parameters);
  const tell = (changes: Partial<FamilySnapshot>) => server.familyChanged({ ...family.snapshot, ...changes });
  const sizes = async () => {
    const { usedSize, reservedSize, recycleSize } = await server.sizesOf(cloudID);
    return { usedSize, reservedSize, recycleSize };
  };
  const announce = async (client: CloudClient, contentSize: number) => {
    const { body } = await client.announce(cloudID, { contentName: 'file', contentSize });
    return { ...body.data.uploadResult, ...body.data.uploadResult.newContentIDList[0]! };
  };
  const countStates = async () => {
    const rows = await query<{ state: string; count: number }>(
      'SELECT state, count(*)::int AS count FROM mcdisk.content WHERE cloud_id = $1 GROUP BY state',
      [cloudID],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };
  /** Everything that is due by then is done; a round that the event woke may be at it as well. */
  const endAll = (now = Date.now()) =>
    waitFor(async () => {
      await job.run(now);
      expect(await query('SELECT FROM mcdisk.ending WHERE due_at <= $1', [now])).toEqual([]);
    });
  const endings = async () => query('SELECT kind, subject FROM mcdisk.ending WHERE cloud_id = $1', [cloudID]);
  const faults = async () => {
    const fsck = new Fsck(server.unitOfWork, server.app.get(BlobStore, { strict: false }));
    return (await fsck.run({ repair: false, sample: 0 }, Date.now() + 2 * 60 * MINUTE)).findings;
  };

  describe('of a membership', () => {
    const without = (id: string) => family.snapshot.members.filter(({ userId }) => userId !== id);

    test('ends what the member was sending, and nothing else', async () => {
      const guardian = await CloudClient.of(server, family.guardian);
      await storeContent(server, cloudID, { uploader: `user:${family.guardian.id}` });
      const [left, kept] = [await announce(guardian, 7), await announce(owner, 5)];
      await tell({ version: 2, members: without(family.guardian.id) });
      expect(await sizes()).toEqual({ ...NOTHING, usedSize: 50, reservedSize: 5 });
      expect((await putBytes(left.uploadURL, randomBytes(7))).status).toBe(404);
      expect((await putBytes(kept.uploadURL, randomBytes(5))).status).toBe(200);
      expect(await sizes()).toEqual({ ...NOTHING, usedSize: 55 });
    });

    test('while bytes are on their way: they go as well', async () => {
      const { tusURL } = await announce(await CloudClient.of(server, family.guardian), 100_000);
      const sending = openPatch(tusURL, 0, 100_000, randomBytes(50_000));
      const blobs = () => query<{ state: string }>('SELECT state FROM mcdisk.blob WHERE cloud_id = $1', [cloudID]);
      await waitFor(async () => expect(await blobs()).toEqual([{ state: 'STAGED' }]));
      await tell({ version: 2, members: without(family.guardian.id) });
      sending.write(randomBytes(50_000));
      expect(await sending.status).not.toBe(204);
      expect(await sizes()).toEqual(NOTHING);
      await waitFor(async () => {
        await server.janitor.run();
        expect(await blobs()).toEqual([{ state: 'GONE' }]);
      });
    });

    test('of a watch as well', async () => {
      await announce(await CloudClient.of(server, family.watches[0]!), 7);
      const [first, second] = family.snapshot.children;
      await tell({ version: 2, children: [{ ...first!, did: null }, second!] });
      expect(await sizes()).toEqual(NOTHING);
    });

    test('is told twice, and by old news that come late', async () => {
      const guardian = await CloudClient.of(server, family.guardian);
      await announce(guardian, 7);
      const gone = { version: 2, members: without(family.guardian.id) };
      await tell(gone);
      await tell(gone);
      expect(await sizes()).toEqual(NOTHING);
      await tell({ version: 3 });
      await announce(guardian, 9);
      await tell(gone);
      expect(await sizes()).toEqual({ ...NOTHING, reservedSize: 9 });
    });
  });

  describe('of a family', () => {
    const dissolve = (version = 2) => tell({ version, dissolved: true, members: [], children: [] });

    test('leaves nothing, a month later', async () => {
      const kept = sampleFamily();
      await server.familyChanged(kept.snapshot);
      const other = await storeContent(server, kept.cloudID);
      const folder = await owner.post<{ catalogID: string }>('createCloudDoc', { cloudID, catalogName: 'Holidays' });
      const { catalogID } = folder.body.data;
      await owner.post('createCloudPhoto', { cloudID, photoName: 'Best' });
      for (let count = 0; count < 230; count += 1) {
        await storeContent(server, cloudID, { parentFolderId: count % 2 === 0 ? catalogID : null });
      }
      const { contentID } = await storeContent(server, cloudID);
      await owner.delete(cloudID, [contentID]);
      await announce(owner, 9);
      await dissolve();
      await endAll(Date.now() + 29 * DAY);
      expect(await countStates()).toEqual({ ACTIVE: 230, RECYCLED: 1 });
      expect(await sizes()).toEqual({ usedSize: 230 * 50, recycleSize: 50, reservedSize: 0 });

      await endAll(Date.now() + 31 * DAY);
      expect([await countStates(), await sizes(), await endings()]).toEqual([{}, NOTHING, []]);
      for (const table of CLEANUP_TABLES) {
        expect(await query(`SELECT FROM mcdisk.${table} WHERE cloud_id = $1`, [cloudID])).toEqual([]);
      }
      expect(await faults()).toEqual([]);
      await server.app.get(GarbageCollectionJob, { strict: false }).run(Date.now() + 39 * DAY);
      const left: string[] = [];
      for await (const { key } of server.app.get(BlobStore, { strict: false }).list())
        if (!isStoreIdentityKey(key)) left.push(key);
      expect(left).toContain(other.key);
      const rows = await query<{ key: string }>('SELECT blob_key AS key FROM mcdisk.blob WHERE cloud_id = $1', [
        cloudID,
      ]);
      expect(rows).toHaveLength(231);
      expect(rows.filter(({ key }) => left.includes(key))).toEqual([]);
    });

    test('forgets no table that has something of a cloud', async () => {
      const rows = await query<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'mcdisk' AND column_name = 'cloud_id'`,
      );
      // Contents go one page at a time; blobs with what was made of them, and the cloud for them, when their bytes are
      // gone; albums take theirs along.
      const elsewhere = ['content', 'blob', 'rendition', 'family_cloud', 'ending', 'album_content'];
      expect(rows.map(({ name }) => name).toSorted()).toEqual([...CLEANUP_TABLES, ...elsewhere].toSorted());
    });

    test('is called off when the family stands again', async () => {
      await storeContent(server, cloudID);
      await dissolve(2);
      expect(await endings()).toHaveLength(1);
      await tell({ version: 3 });
      expect(await endings()).toEqual([]);
      await dissolve(2);
      await endAll(Date.now() + 40 * DAY);
      expect([await countStates(), await endings()]).toEqual([{ ACTIVE: 1 }, []]);
    });

    test('that is due is called off by news that were not taken yet', async () => {
      await storeContent(server, cloudID);
      await dissolve(2);
      await query(
        `UPDATE mcdisk.family_projection SET version = 3, snapshot = jsonb_set(snapshot, '{dissolved}', 'false')
          WHERE family_id = $1`,
        [cloudID],
      );
      await endAll(Date.now() + 40 * DAY);
      expect([await countStates(), await endings()]).toEqual([{ ACTIVE: 1 }, []]);
    });

    test('follows the newest news, in whatever order and however often they come', async () => {
      const news = fc.uniqueArray(fc.record({ version: fc.integer({ min: 2, max: 30 }), dissolved: fc.boolean() }), {
        selector: ({ version }) => version,
        minLength: 1,
        maxLength: 6,
      });
      const order = fc.array(fc.nat(5), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(news, order, async (facts, repeats) => {
          const each = sampleFamily();
          const arrivals = [...facts, ...repeats.map((index) => facts[index % facts.length]!)];
          for (const fact of arrivals) await server.familyChanged({ ...each.snapshot, ...fact });
          const newest = facts.reduce((a, b) => (a.version > b.version ? a : b));
          const found = await query('SELECT FROM mcdisk.ending WHERE subject = $1', [each.cloudID]);
          expect(found).toHaveLength(newest.dissolved ? 1 : 0);
        }),
        { numRuns: propertyRuns(5) },
      );
    });
  });

  describe('of a child', () => {
    const erase = (cid: string) =>
      server.publish('userctx', { name: 'userctx.child.erased', key: cloudID, payload: { familyId: cloudID, cid } });
    const cidsOf = async (ids: string[]) =>
      (await query<{ cid: string | null }>('SELECT cid FROM mcdisk.content WHERE content_id = ANY ($1)', [ids])).map(
        ({ cid }) => cid,
      );

    test('takes what its watch added to the recycle bin, from which the family may take it as its own', async () => {
      const [cid, other] = family.cids;
      const theirs: string[] = [];
      for (let count = 0; count < 210; count += 1)
        theirs.push((await storeContent(server, cloudID, { cid })).contentID);
      await storeContent(server, cloudID, { cid: other });
      await storeContent(server, cloudID);
      await erase(cid);
      await erase(cid);
      await endAll();
      expect(await countStates()).toEqual({ ACTIVE: 2, RECYCLED: 210 });
      expect(await sizes()).toEqual({ usedSize: 100, recycleSize: 210 * 50, reservedSize: 0 });

      const [taken] = theirs;
      const { body } = await owner.post<{ restoreContIDList: string[] }>('restoreContents', {
        cloudID,
        contentIDList: [taken],
      });
      expect(body.data.restoreContIDList).toEqual([taken]);
      await endAll(Date.now() + 11 * MINUTE);
      expect(await cidsOf([taken!])).toEqual([null]);
      await erase(cid);
      await endAll(Date.now() + 22 * MINUTE);
      expect(await countStates()).toEqual({ ACTIVE: 3, RECYCLED: 209 });

      await server.app.get(RecycleBinExpiryJob, { strict: false }).run(Date.now() + 31 * DAY);
      await endAll(Date.now() + 31 * DAY);
      expect(await countStates()).toEqual({ ACTIVE: 3, PURGED: 209 });
      expect(new Set(await cidsOf(theirs))).toEqual(new Set([null]));
      expect(await endings()).toEqual([]);
      expect(await faults()).toEqual([]);
    });

    test('that fails is tried again later, and holds no other back', async () => {
      const [cid, other] = family.cids;
      for (const each of [cid, other]) await storeContent(server, cloudID, { cid: each });
      const children = server.app.get(ChildCleanupService, { strict: false });
      const step = children.step.bind(children);
      const spy = jest.spyOn(children, 'step').mockImplementation(async (ending, now) => {
        if (ending.subject === cid) throw new Error('The disk is on fire');
        return step(ending, now);
      });
      await erase(cid);
      await erase(other);
      await endAll();
      expect(await countStates()).toEqual({ ACTIVE: 1, RECYCLED: 1 });
      spy.mockRestore();
      await endAll(Date.now() + 11 * MINUTE);
      expect(await countStates()).toEqual({ RECYCLED: 2 });
    });
  });
});
