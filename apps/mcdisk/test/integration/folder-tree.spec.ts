import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_FOLDER_DEPTH, MAX_FOLDERS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';
import { FolderService } from '../../src/files/folders/folder.service.js';
import { FolderRepository } from '../../src/files/folders/folder.repository.js';
import { FolderTreeService } from '../../src/files/folders/folder-tree.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud, type TestCloud } from '../support/test-cloud.js';
import { seedContents } from '../support/seeded-cloud.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('FolderTreeService', () => {
  let { cloudID } = {} as TestCloud;
  let server: CloudServer;
  let tree: FolderTreeService;
  let lookup: FolderService;

  beforeAll(async () => {
    server = await CloudServer.getShared();
    tree = server.get(FolderTreeService);
    lookup = server.get(FolderService);
  });
  beforeEach(async () => {
    ({ cloudID } = await createCloud(server));
  });

  const create = async (parentFolderId: string | null, name: string = randomUUID()) =>
    (await tree.create(cloudID, { parentFolderId, name, createdBy: 'user:nobody' })).folderId;

  /** Creates nested folders and returns their ids, parents first. */
  const createChain = async (depth: number) => {
    const chain: string[] = [];
    while (chain.length < depth) chain.push(await create(chain.at(-1) ?? null));
    return chain;
  };

  /** Inserts `count` active folders into the root. */
  const fill = (count: number) =>
    server.query(
      `INSERT INTO mcdisk.catalog (catalog_id, cloud_id, name, chain, created_by, state, created_at, updated_at)
       SELECT id, $1, id::text, ARRAY[id], 'user:nobody', 'ACTIVE', 1, 1
         FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $2)) AS made`,
      [cloudID, count],
    );

  describe('limits', () => {
    test('creates and moves folders up to the maximum depth, and rejects deeper ones', async () => {
      const chain = await createChain(MAX_FOLDER_DEPTH);
      await expect(create(chain.at(-1)!)).rejects.toMatchObject({ reason: 'LIMIT_REACHED' });
      const [top, below] = [await create(null), chain.at(-2)!];
      await create(top);
      await expect(tree.move(cloudID, top, below)).rejects.toMatchObject({ reason: 'LIMIT_REACHED' });
      await expect(tree.move(cloudID, top, chain.at(-3)!)).resolves.toMatchObject({ parentFolderId: chain.at(-3) });
    });

    test('rejects folders beyond the maximum number; contents are then restored into an ancestor', async () => {
      const [outer] = await createChain(1);
      const inner = await create(outer!);
      await tree.deleteEmpty(cloudID, inner);
      await fill(MAX_FOLDERS_PER_CLOUD - 1);
      await expect(create(null)).rejects.toMatchObject({ reason: 'LIMIT_REACHED' });
      const restored = await tree.restoreFolders(cloudID, [inner, outer!, null]);
      expect([inner, outer!, null].map((id) => restored.get(id)?.folderId)).toEqual([outer, outer, null]);
    });

    test('restores contents into the nearest active ancestor when their own folder would be too deep', async () => {
      const [top, ...chain] = await createChain(4);
      await tree.deleteEmpty(cloudID, chain.at(-1)!);
      const target = (await createChain(MAX_FOLDER_DEPTH - 3)).at(-1)!;
      await tree.move(cloudID, top!, target);
      const restored = await tree.restoreFolders(cloudID, [chain.at(-1)!]);
      expect(restored.get(chain.at(-1)!)?.folderId).toBe(chain.at(-2));
    });
  });

  describe('concurrent operations', () => {
    const reasonsOf = (outcomes: PromiseSettledResult<unknown>[]) =>
      outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));

    test('exactly one of two moves that together would create a cycle is rejected', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [a, b] = [await createChain(2), await createChain(2)];
        const outcomes = await Promise.allSettled([tree.move(cloudID, a[0]!, b[1]!), tree.move(cloudID, b[0]!, a[1]!)]);
        expect(reasonsOf(outcomes)).toEqual([expect.objectContaining({ reason: 'CATALOG_CYCLE' })]);
        expect(await findInconsistentPaths()).toEqual([]);
      }
    });

    test('exactly one of several concurrent calls creates the folder when all use the same name', async () => {
      const [parent] = await createChain(1);
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create(parent!, 'Holidays')));
      expect(reasonsOf(outcomes)).toEqual(
        Array.from({ length: 7 }, () => expect.objectContaining({ reason: 'CATALOG_EXISTS' })),
      );
    });

    test('moving a folder also moves folders that are concurrently created below it', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [top, middle] = await createChain(2);
        const target = await create(null);
        await Promise.all([create(middle!), tree.move(cloudID, top!, target), create(middle!)]);
        expect(await findInconsistentPaths()).toEqual([]);
      }
    });

    test('a folder is not deleted while a content is added to it, and a deleted folder rejects contents', async () => {
      const [folder] = await createChain(1);
      const [released, locked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const insertion = server.unitOfWork.run(async () => {
        await lookup.lockForShare(cloudID, { catalogID: folder });
        locked.resolve();
        await released.promise;
        await seedContents(server, cloudID, [{ parentFolderId: folder }]);
      });
      await locked.promise;
      const deletion = tree.deleteEmpty(cloudID, folder!);
      released.resolve();
      await insertion;
      expect(await deletion).toEqual([]);
      await server.query(`UPDATE mcdisk.content SET state = 'RECYCLED' WHERE cloud_id = $1`, [cloudID]);
      expect(await tree.deleteEmpty(cloudID, folder!)).toEqual([folder]);
      const late = server.unitOfWork.run(() => lookup.lockForShare(cloudID, { catalogID: folder }));
      await expect(late).rejects.toMatchObject({ reason: 'CATALOG_NOT_FOUND' });
    });

    test('concurrent moves, restores and renames in two trees all complete and leave consistent paths', async () => {
      const [a, b] = [await createChain(3), await createChain(3)];
      await tree.deleteEmpty(cloudID, a[1]!);
      await Promise.all([
        tree.restoreFolders(cloudID, [a[2]!]),
        tree.move(cloudID, b[1]!, a[0]!),
        tree.restoreFolders(cloudID, [a[1]!]),
        tree.move(cloudID, a[0]!, b[0]!),
        tree.rename(cloudID, b[2]!, { name: 'Summer', mayRename: () => true }),
      ]);
      expect(await findInconsistentPaths()).toEqual([]);
      expect((await findIdsBelow(b[0]!)).sort()).toEqual([...a, ...b].sort());
    });
  });

  describe('restoring contents of deleted folders', () => {
    test('uses an active folder of the same name and recreates the deleted folders below it', async () => {
      const holidays = await create(null, 'Holidays');
      const beach = await create(holidays, 'Beach');
      const dunes = await create(beach, 'Dunes');
      await tree.deleteEmpty(cloudID, holidays);
      const recreated = await create(null, 'Holidays');
      const restored = await tree.restoreFolders(cloudID, [holidays, dunes]);
      expect(restored.get(holidays)).toMatchObject({ folderId: recreated, pathIds: [recreated] });
      expect(restored.get(dunes)).toMatchObject({ folderId: dunes, pathIds: [recreated, beach, dunes] });
      expect(await findInconsistentPaths()).toEqual([]);
    });
  });

  describe('unreferenced deleted folders', () => {
    const runRetention = (now: number) => server.get(FolderTreeService).deleteUnreferenced(now);
    const remainingIds = async () => {
      const rows = await server.query<{ id: string }>(
        'SELECT catalog_id AS id FROM mcdisk.catalog WHERE cloud_id = $1',
        [cloudID],
      );
      return rows.map(({ id }) => id).sort();
    };

    test('rows of deleted folders without contents are deleted after a day, and no others', async () => {
      const [empty, full, active] = [await createChain(2), await createChain(2), await createChain(2)];
      await seedContents(server, cloudID, [{ parentFolderId: full[1], state: 'RECYCLED' }]);
      await tree.deleteEmpty(cloudID, empty[0]!);
      await tree.deleteEmpty(cloudID, full[0]!);
      await runRetention(Date.now() + DAY_MS - 60_000);
      expect(await remainingIds()).toEqual([...empty, ...full, ...active].sort());
      await runRetention(Date.now() + DAY_MS + 60_000);
      expect(await remainingIds()).toEqual([...full, ...active].sort());
    });
  });

  async function findIdsBelow(folderId: string): Promise<string[]> {
    const found = await server.get(FolderRepository).findTree(cloudID, folderId);
    return found.map((catalog) => catalog.folderId);
  }

  /** Returns folders whose path does not match their parent, and active folders in a deleted folder. */
  async function findInconsistentPaths() {
    return server.query(
      `SELECT f.catalog_id FROM mcdisk.catalog f LEFT JOIN mcdisk.catalog p ON p.catalog_id = f.parent_catalog_id
        WHERE f.cloud_id = $1 AND (f.chain <> coalesce(p.chain, '{}') || f.catalog_id
          OR (f.state = 'ACTIVE' AND p.state = 'DELETED'))`,
      [cloudID],
    );
  }
});
