import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_FOLDER_DEPTH, MAX_FOLDERS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';
import { FolderLookupService } from '../../src/contexts/folders/folder-lookup.service.js';
import { FolderRepository } from '../../src/contexts/folders/folder.repository.js';
import { FolderTreeService } from '../../src/contexts/folders/folder-tree.service.js';
import { FolderRetentionJob } from '../../src/contexts/folders/folder-retention.job.js';
import { CloudServer } from '../support/cloud-server.js';
import { putContents } from '../support/content-rows.js';
import { sampleFamily } from '../support/family.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('the tree of folders', () => {
  let server: CloudServer;
  let tree: FolderTreeService;
  let lookup: FolderLookupService;
  let cloudID: string;

  beforeAll(async () => {
    server = await CloudServer.shared();
    tree = server.app.get(FolderTreeService, { strict: false });
    lookup = server.app.get(FolderLookupService, { strict: false });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const family = sampleFamily();
    cloudID = family.cloudID;
    await server.familyChanged(family.snapshot);
  });

  const create = async (parentFolderId: string | null, name: string = randomUUID()) =>
    (await tree.create(cloudID, { parentFolderId, name, createdBy: 'user:nobody' })).folderId;

  /** Folders in one another, from above downwards. */
  const createChain = async (depth: number) => {
    const chain: string[] = [];
    while (chain.length < depth) chain.push(await create(chain.at(-1) ?? null));
    return chain;
  };

  /** Makes rows that the test needs many of. */
  const fill = (count: number) =>
    server.unitOfWork.executor.query(
      `INSERT INTO mcdisk.catalog (catalog_id, cloud_id, name, chain, created_by, state, created_at, updated_at)
       SELECT id, $1, id::text, ARRAY[id], 'user:nobody', 'ACTIVE', 1, 1
         FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $2)) AS made`,
      [cloudID, count],
    );

  describe('limits', () => {
    test('folders lie in one another so deep and no deeper, also by a move', async () => {
      const chain = await createChain(MAX_FOLDER_DEPTH);
      await expect(create(chain.at(-1)!)).rejects.toMatchObject({ reason: 'LIMIT_REACHED' });
      const [top, below] = [await create(null), chain.at(-2)!];
      await create(top);
      await expect(tree.move(cloudID, top, below)).rejects.toMatchObject({ reason: 'LIMIT_REACHED' });
      await expect(tree.move(cloudID, top, chain.at(-3)!)).resolves.toMatchObject({ parentFolderId: chain.at(-3) });
    });

    test('there are so many and no more; what is restored then goes to the folder above', async () => {
      const [outer] = await createChain(1);
      const inner = await create(outer!);
      await tree.deleteEmpty(cloudID, inner);
      await fill(MAX_FOLDERS_PER_CLOUD - 1);
      await expect(create(null)).rejects.toMatchObject({ reason: 'LIMIT_REACHED' });
      const places = await tree.restoreAncestors(cloudID, [inner, outer!, null]);
      expect([inner, outer!, null].map((id) => places.get(id)?.folderId)).toEqual([outer, outer, null]);
    });

    test('what lay deeper than folders can comes back as deep as they can', async () => {
      const [top, ...chain] = await createChain(4);
      await tree.deleteEmpty(cloudID, chain.at(-1)!);
      const target = (await createChain(MAX_FOLDER_DEPTH - 3)).at(-1)!;
      await tree.move(cloudID, top!, target);
      const places = await tree.restoreAncestors(cloudID, [chain.at(-1)!]);
      expect(places.get(chain.at(-1)!)?.folderId).toBe(chain.at(-2));
    });
  });

  describe('two at once', () => {
    test('two moves that together would make a cycle: one of them is refused', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [a, b] = [await createChain(2), await createChain(2)];
        const outcomes = await Promise.allSettled([tree.move(cloudID, a[0]!, b[1]!), tree.move(cloudID, b[0]!, a[1]!)]);
        const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
        expect(refused).toEqual([expect.objectContaining({ reason: 'CATALOG_CYCLE' })]);
        expect(await brokenChains()).toEqual([]);
      }
    });

    test('of many who make the same name one gets it', async () => {
      const [parent] = await createChain(1);
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create(parent!, 'Holidays')));
      const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      expect(refused).toEqual(Array.from({ length: 7 }, () => expect.objectContaining({ reason: 'CATALOG_EXISTS' })));
    });

    test('a folder that is made below one that moves goes along', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [top, middle] = await createChain(2);
        const target = await create(null);
        await Promise.all([create(middle!), tree.move(cloudID, top!, target), create(middle!)]);
        expect(await brokenChains()).toEqual([]);
      }
    });

    test('a folder is not deleted under who puts something in, nor filled after it was deleted', async () => {
      const [folder] = await createChain(1);
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      let isHeld = (): void => undefined;
      const begun = new Promise<void>((resolve) => (isHeld = resolve));
      const putting = server.unitOfWork.run(async () => {
        await lookup.lockForShare(cloudID, { catalogID: folder });
        isHeld();
        await held;
        await putContents(server, cloudID, [{ parentFolderId: folder }]);
      });
      await begun;
      const deleting = tree.deleteEmpty(cloudID, folder!);
      letGo();
      await putting;
      expect(await deleting).toEqual([]);
      await server.unitOfWork.executor.query(`UPDATE mcdisk.content SET state = 'RECYCLED' WHERE cloud_id = $1`, [
        cloudID,
      ]);
      expect(await tree.deleteEmpty(cloudID, folder!)).toEqual([folder]);
      const late = server.unitOfWork.run(() => lookup.lockForShare(cloudID, { catalogID: folder }));
      await expect(late).rejects.toMatchObject({ reason: 'CATALOG_NOT_FOUND' });
    });

    test('moves and restores that cross all come through', async () => {
      const [a, b] = [await createChain(3), await createChain(3)];
      await tree.deleteEmpty(cloudID, a[1]!);
      await Promise.all([
        tree.restoreAncestors(cloudID, [a[2]!]),
        tree.move(cloudID, b[1]!, a[0]!),
        tree.restoreAncestors(cloudID, [a[1]!]),
        tree.move(cloudID, a[0]!, b[0]!),
        tree.rename(cloudID, b[2]!, { name: 'Summer', mayRename: () => true }),
      ]);
      expect(await brokenChains()).toEqual([]);
      expect((await idsBelow(b[0]!)).sort()).toEqual([...a, ...b].sort());
    });
  });

  describe('what is restored from deleted folders', () => {
    test('brings them back, all that lie in one another', async () => {
      const chain = await createChain(3);
      await tree.deleteEmpty(cloudID, chain[0]!);
      const places = await tree.restoreAncestors(cloudID, [chain[2]!]);
      expect(places.get(chain[2]!)).toMatchObject({ folderId: chain[2], pathIds: chain });
      expect(await lookup.getOrThrow(cloudID, { catalogID: chain[1] })).toMatchObject({ pathIds: chain.slice(0, 2) });
    });

    test('goes into the folder that has their name now, with the folders that were below', async () => {
      const holidays = await create(null, 'Holidays');
      const beach = await create(holidays, 'Beach');
      const dunes = await create(beach, 'Dunes');
      await tree.deleteEmpty(cloudID, holidays);
      const anew = await create(null, 'Holidays');
      const places = await tree.restoreAncestors(cloudID, [holidays, dunes]);
      expect(places.get(holidays)).toMatchObject({ folderId: anew, pathIds: [anew] });
      expect(places.get(dunes)).toMatchObject({ folderId: dunes, pathIds: [anew, beach, dunes] });
      expect(await brokenChains()).toEqual([]);
    });

    test('comes back to where the folder above has moved meanwhile', async () => {
      const [top, below] = await createChain(2);
      await tree.deleteEmpty(cloudID, below!);
      const target = await create(null);
      await tree.move(cloudID, top!, target);
      const places = await tree.restoreAncestors(cloudID, [below!]);
      expect(places.get(below!)?.pathIds).toEqual([target, top, below]);
    });
  });

  describe('deleted folders to which nothing refers', () => {
    const forget = (now: number) => server.app.get(FolderRetentionJob, { strict: false }).run(now);
    const idsThere = async () => {
      const rows = await server.unitOfWork.executor.query<{ id: string }>(
        'SELECT catalog_id AS id FROM mcdisk.catalog WHERE cloud_id = $1',
        [cloudID],
      );
      return rows.map(({ id }) => id).sort();
    };

    test('are forgotten, from below upwards, and no others', async () => {
      const [empty, full, active] = [await createChain(2), await createChain(2), await createChain(2)];
      await putContents(server, cloudID, [{ parentFolderId: full[1], state: 'RECYCLED' }]);
      await tree.deleteEmpty(cloudID, empty[0]!);
      await tree.deleteEmpty(cloudID, full[0]!);
      await forget(Date.now() + DAY_MS - 60_000);
      expect(await idsThere()).toEqual([...empty, ...full, ...active].sort());
      await forget(Date.now() + DAY_MS + 60_000);
      expect(await idsThere()).toEqual([...full, ...active].sort());
    });
  });

  async function idsBelow(folderId: string): Promise<string[]> {
    const found = await server.app.get(FolderRepository, { strict: false }).findTree(cloudID, folderId);
    return found.map((catalog) => catalog.folderId);
  }

  /** Rows whose chain is not that of their parent and themselves, or that are active in what is not. */
  async function brokenChains() {
    return server.unitOfWork.executor.query(
      `SELECT f.catalog_id FROM mcdisk.catalog f LEFT JOIN mcdisk.catalog p ON p.catalog_id = f.parent_catalog_id
        WHERE f.cloud_id = $1 AND (f.chain <> coalesce(p.chain, '{}') || f.catalog_id
          OR (f.state = 'ACTIVE' AND p.state = 'DELETED'))`,
      [cloudID],
    );
  }
});
