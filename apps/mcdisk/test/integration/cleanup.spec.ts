import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { DomainEvents } from '@family-watch/domain/events';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { GarbageCollectionService } from '../../src/storage/garbage-collection/garbage-collection.service.js';
import { isStoreIdentityKey } from '../../src/storage/garbage-collection/store-identity.service.js';
import { CleanupDataRepository, CLEANUP_ENTITIES } from '../../src/cleanup/cleanup-data.repository.js';
import { CleanupEventHandlers } from '../../src/cleanup/cleanup.event-handlers.js';
import { AlbumsEventHandlers } from '../../src/files/albums/albums.event-handlers.js';
import { RecycleBinService } from '../../src/files/recycle-bin/recycle-bin.service.js';
import { putBytes, type CloudClient } from '../support/cloud-client.js';
import { CloudServer, NO_USAGE } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { sampleFamily } from '../support/family.js';
import { countStates, findInconsistencies, finishCleanup } from '../support/cleanup.js';
import { storeContent } from '../support/stored-content.js';
import { openPatch } from '../support/tus-requests.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('cleanup', () => {
  let { family, cloudID, owner } = {} as TestCloud;
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ({ family, cloudID, owner } = await createCloud(server));
  });

  const query = <Row = Record<string, unknown>>(sql: string, parameters: unknown[] = []) =>
    server.query<Row>(sql, parameters);
  const publishFamily = (changes: Partial<FamilySnapshot>) => server.publishFamily({ ...family.snapshot, ...changes });
  const sizes = () => server.findUsage(cloudID);
  const announce = (client: CloudClient, size: number) => client.announceFile(cloudID, size);
  const cleanupTasks = async () => query('SELECT kind, subject FROM mcdisk.ending WHERE cloud_id = $1', [cloudID]);

  describe('when a membership ends', () => {
    const without = (id: string) => family.snapshot.members.filter(({ userId }) => userId !== id);

    test('terminates the uploads of the former member only', async () => {
      const guardian = await server.as(family.guardian);
      await storeContent(server, cloudID, { uploader: `user:${family.guardian.id}` });
      const [leaving, remaining] = [await announce(guardian, 7), await announce(owner, 5)];
      await publishFamily({ version: 2, members: without(family.guardian.id) });
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 50, reservedSize: 5 });
      expect((await putBytes(leaving.uploadURL, randomBytes(7))).status).toBe(404);
      expect((await putBytes(remaining.uploadURL, randomBytes(5))).status).toBe(200);
      expect(await sizes()).toEqual({ ...NO_USAGE, usedSize: 55 });
    });

    test('terminates an upload in progress of the former member and deletes its bytes', async () => {
      const { tusURL } = await announce(await server.as(family.guardian), 100_000);
      const sending = openPatch(tusURL, 0, 100_000, randomBytes(50_000));
      const blobs = () => query<{ state: string }>('SELECT state FROM mcdisk.blob WHERE cloud_id = $1', [cloudID]);
      await waitFor(async () => expect(await blobs()).toEqual([{ state: 'STAGED' }]));
      await publishFamily({ version: 2, members: without(family.guardian.id) });
      sending.write(randomBytes(50_000));
      expect(await sending.status).not.toBe(204);
      expect(await sizes()).toEqual(NO_USAGE);
      await waitFor(async () => {
        await server.uploadTermination.expire(Date.now());
        expect(await blobs()).toEqual([{ state: 'GONE' }]);
      });
    });

    test('terminates the uploads of an unbound watch', async () => {
      await announce(await server.as(family.watches[0]!), 7);
      const [first, second] = family.snapshot.children;
      await publishFamily({ version: 2, children: [{ ...first!, did: null }, second!] });
      expect(await sizes()).toEqual(NO_USAGE);
    });

    test('ignores repeated and outdated family events', async () => {
      const guardian = await server.as(family.guardian);
      await announce(guardian, 7);
      const withoutGuardian = { version: 2, members: without(family.guardian.id) };
      await publishFamily(withoutGuardian);
      await publishFamily(withoutGuardian);
      expect(await sizes()).toEqual(NO_USAGE);
      await publishFamily({ version: 3 });
      await announce(guardian, 9);
      await publishFamily(withoutGuardian);
      expect(await sizes()).toEqual({ ...NO_USAGE, reservedSize: 9 });
    });
  });

  describe('cleanup of a dissolved family', () => {
    const dissolve = (version = 2) => publishFamily({ version, dissolved: true, members: [], children: [] });

    test('deletes all data of the cloud 30 days after the dissolution, and not earlier', async () => {
      const other = await storeContent(server, (await createCloud(server)).cloudID);
      const catalogID = await owner.createFolder(cloudID, 'Holidays');
      await owner.createAlbum(cloudID);
      const parents = Array.from({ length: 230 }, (_, index) => (index % 2 === 0 ? catalogID : null));
      await Promise.all(parents.map((parentFolderId) => storeContent(server, cloudID, { parentFolderId })));
      const { contentID } = await storeContent(server, cloudID);
      await owner.delete(cloudID, [contentID]);
      await announce(owner, 9);
      await dissolve();
      await finishCleanup(server, Date.now() + 29 * DAY_MS);
      expect(await countStates(server, cloudID)).toEqual({ ACTIVE: 230, RECYCLED: 1 });
      expect(await sizes()).toEqual({ usedSize: 230 * 50, recycleSize: 50, reservedSize: 0 });

      await finishCleanup(server, Date.now() + 31 * DAY_MS);
      expect([await countStates(server, cloudID), await sizes(), await cleanupTasks()]).toEqual([{}, NO_USAGE, []]);
      for (const entity of CLEANUP_ENTITIES) {
        expect(await server.unitOfWork.manager.countBy(entity, { cloudId: cloudID })).toBe(0);
      }
      expect(await findInconsistencies(server)).toEqual([]);
      await server.get(GarbageCollectionService).run(Date.now() + 39 * DAY_MS);
      const storedKeys: string[] = [];
      for await (const { key } of server.get(BlobStore).list()) if (!isStoreIdentityKey(key)) storedKeys.push(key);
      expect(storedKeys).toContain(other.key);
      const rows = await query<{ key: string }>('SELECT blob_key AS key FROM mcdisk.blob WHERE cloud_id = $1', [
        cloudID,
      ]);
      expect(rows).toHaveLength(231);
      expect(rows.filter(({ key }) => storedKeys.includes(key))).toEqual([]);
    });

    test('the cleanup covers every table that has a column cloud_id', async () => {
      const rows = await query<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'mcdisk' AND column_name = 'cloud_id'`,
      );
      // The cleanup deletes contents page by page. The rows of blobs, their renditions and the cloud remain until their
      // bytes are deleted. Album contents are deleted with their album.
      const elsewhere = ['content', 'blob', 'rendition', 'family_cloud', 'ending', 'album_content'];
      const cleaned = CLEANUP_ENTITIES.map(
        (entity) => server.unitOfWork.manager.getRepository(entity).metadata.tableName,
      );
      expect(rows.map(({ name }) => name).toSorted()).toEqual([...cleaned, ...elsewhere].toSorted());
    });

    test('the cleanup is cancelled when the family is no longer dissolved', async () => {
      await storeContent(server, cloudID);
      await dissolve(2);
      expect(await cleanupTasks()).toHaveLength(1);
      await publishFamily({ version: 3 });
      expect(await cleanupTasks()).toEqual([]);
      await dissolve(2);
      await finishCleanup(server, Date.now() + 40 * DAY_MS);
      expect([await countStates(server, cloudID), await cleanupTasks()]).toEqual([{ ACTIVE: 1 }, []]);
    });

    test('the cleanup is cancelled at its due time if the projected family is no longer dissolved', async () => {
      await storeContent(server, cloudID);
      await dissolve(2);
      await query(
        `UPDATE mcdisk.family_projection SET version = 3, snapshot = jsonb_set(snapshot, '{dissolved}', 'false')
          WHERE family_id = $1`,
        [cloudID],
      );
      await finishCleanup(server, Date.now() + 40 * DAY_MS);
      expect([await countStates(server, cloudID), await cleanupTasks()]).toEqual([{ ACTIVE: 1 }, []]);
    });

    test('the cleanup is scheduled only if the newest event dissolves the family, for any order of events', async () => {
      const eventsArbitrary = fc.uniqueArray(
        fc.record({ version: fc.integer({ min: 2, max: 30 }), dissolved: fc.boolean() }),
        {
          selector: ({ version }) => version,
          minLength: 1,
          maxLength: 6,
        },
      );
      const repeatsArbitrary = fc.array(fc.nat(5), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(eventsArbitrary, repeatsArbitrary, async (events, repeats) => {
          const ownFamily = sampleFamily();
          const arrivals = [...events, ...repeats.map((index) => events[index % events.length]!)];
          for (const event of arrivals) await server.publishFamily({ ...ownFamily.snapshot, ...event });
          const newest = events.reduce((a, b) => (a.version > b.version ? a : b));
          const found = await query('SELECT FROM mcdisk.ending WHERE subject = $1', [ownFamily.cloudID]);
          expect(found).toHaveLength(newest.dissolved ? 1 : 0);
        }),
        { numRuns: propertyRuns(5) },
      );
    });
  });

  describe('A24 cleanup of an erased child', () => {
    const erase = (cid: string) =>
      server.publish('userctx', { name: 'userctx.child.erased', key: cloudID, payload: { familyId: cloudID, cid } });
    const cidsOf = async (ids: string[]) =>
      (await query<{ cid: string | null }>('SELECT cid FROM mcdisk.content WHERE content_id = ANY ($1)', [ids])).map(
        ({ cid }) => cid,
      );

    test('leaves an album of the child to the handler that deletes it, however late the handler runs', async () => {
      const [cid] = family.cids;
      const watch = await server.as(family.watches[0]!);
      await watch.createAlbum(cloudID);
      const event = { time: Date.now(), payload: { familyId: cloudID, cid } } as EventOf<
        DomainEvents,
        'userctx.child.erased'
      >;
      const { unitOfWork } = server;
      await unitOfWork.run(() => server.get(CleanupEventHandlers).scheduleChildCleanup(event));
      await finishCleanup(server, Date.now() + 22 * MINUTE_MS);
      await unitOfWork.run(() => server.get(AlbumsEventHandlers).eraseChildAlbums(event));
      expect(await query('SELECT FROM mcdisk.album WHERE cloud_id = $1', [cloudID])).toEqual([]);
    });

    test('moves contents of the child to the recycle bin; restored contents belong to the family', async () => {
      const [cid, other] = family.cids;
      const stored = await Promise.all(Array.from({ length: 210 }, () => storeContent(server, cloudID, { cid })));
      const ofChild = stored.map(({ contentID }) => contentID);
      await storeContent(server, cloudID, { cid: other });
      await storeContent(server, cloudID);
      await erase(cid);
      await erase(cid);
      await finishCleanup(server);
      expect(await countStates(server, cloudID)).toEqual({ ACTIVE: 2, RECYCLED: 210 });
      expect(await sizes()).toEqual({ usedSize: 100, recycleSize: 210 * 50, reservedSize: 0 });

      const [restored] = ofChild;
      const { body } = await owner.post('restoreContents', { cloudID, contentIDList: [restored] });
      expect(body.data['restoreContIDList']).toEqual([restored]);
      await finishCleanup(server, Date.now() + 11 * MINUTE_MS);
      expect(await cidsOf([restored!])).toEqual([null]);
      await erase(cid);
      await finishCleanup(server, Date.now() + 22 * MINUTE_MS);
      expect(await countStates(server, cloudID)).toEqual({ ACTIVE: 3, RECYCLED: 209 });

      await server.get(RecycleBinService).purgeExpired(Date.now() + 31 * DAY_MS);
      await finishCleanup(server, Date.now() + 31 * DAY_MS);
      expect(await countStates(server, cloudID)).toEqual({ ACTIVE: 3, PURGED: 209 });
      expect(new Set(await cidsOf(ofChild))).toEqual(new Set([null]));
      expect(await cleanupTasks()).toEqual([]);
      expect(await findInconsistencies(server)).toEqual([]);
    });

    test('a failed cleanup is retried and does not delay other tasks', async () => {
      const [cid, other] = family.cids;
      for (const each of [cid, other]) await storeContent(server, cloudID, { cid: each });
      const contents = server.get(CleanupDataRepository);
      const lock = contents.lockActiveContentsOfChild.bind(contents);
      const spy = jest.spyOn(contents, 'lockActiveContentsOfChild').mockImplementation(async (cloud, child, limit) => {
        if (child === cid) throw new Error('The disk is on fire');
        return lock(cloud, child, limit);
      });
      await erase(cid);
      await erase(other);
      await finishCleanup(server);
      expect(await countStates(server, cloudID)).toEqual({ ACTIVE: 1, RECYCLED: 1 });
      spy.mockRestore();
      await finishCleanup(server, Date.now() + 11 * MINUTE_MS);
      expect(await countStates(server, cloudID)).toEqual({ RECYCLED: 2 });
    });

    test('a failed cleanup that was cancelled and scheduled again meanwhile keeps its new due time', async () => {
      const [cid] = family.cids;
      const contents = server.get(CleanupDataRepository);
      const failure = new Error('The disk is on fire');
      const lock = jest.spyOn(contents, 'lockActiveContentsOfChild').mockRejectedValue(failure);
      const dueAt = Date.now() + 30 * DAY_MS;
      const runTransaction = server.unitOfWork.run.bind(server.unitOfWork);
      const transactions = jest.spyOn(server.unitOfWork, 'run').mockImplementation((work) =>
        runTransaction(work).catch(async (error: unknown) => {
          if (error === failure) await query('UPDATE mcdisk.ending SET due_at = $2 WHERE subject = $1', [cid, dueAt]);
          throw error;
        }),
      );
      await erase(cid);
      await finishCleanup(server);
      transactions.mockRestore();
      lock.mockRestore();
      expect(await query('SELECT due_at FROM mcdisk.ending WHERE subject = $1', [cid])).toEqual([{ due_at: dueAt }]);
    });
  });
});
