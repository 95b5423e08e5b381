import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { FolderTreeService } from '../../src/files/folders/folder-tree.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { seedContent } from '../support/seeded-cloud.js';
import { createCloud } from '../support/test-cloud.js';

let server: CloudServer;
let folderTree: FolderTreeService;

beforeAll(async () => {
  server = await CloudServer.getShared();
  folderTree = server.get(FolderTreeService);
});

interface ModelFolder {
  parent: string | null;
  name: string;
  active: boolean;
}

interface ModelFile {
  folder: string | null;
  active: boolean;
}

/** In-memory model of the folders and files of a cloud. */
class TreeModel {
  readonly folders = new Map<string, ModelFolder>();
  readonly files = new Map<string, ModelFile>();

  pathIdsOf(id: string | null): string[] {
    const folder = id === null ? undefined : this.folders.get(id);
    return id === null || !folder ? [] : [...this.pathIdsOf(folder.parent), id];
  }

  isActive(id: string | null): boolean {
    return id === null || this.folders.get(id)?.active === true;
  }

  findByName(parent: string | null, name: string): string | undefined {
    return [...this.folders].find(([, other]) => other.active && other.parent === parent && other.name === name)?.[0];
  }

  /** Returns the ids of the active folders in a folder, and of the folder itself, that contain no active file. */
  emptyFoldersIn(id: string): string[] {
    const filled = [...this.files.values()].flatMap(({ active, folder }) => (active ? this.pathIdsOf(folder) : []));
    const isEmpty = (other: string) => this.isActive(other) && this.pathIdsOf(other).includes(id);
    return [...this.folders.keys()].filter((other) => isEmpty(other) && !filled.includes(other));
  }

  /**
   * Returns the folder into which a file of the given folder is restored. A deleted folder is recreated, unless an
   * active folder with its name exists in the same parent; then the file is restored into that folder.
   */
  restoreFolder(id: string | null): string | null {
    const folder = id === null ? undefined : this.folders.get(id);
    if (!folder || folder.active) return id;
    const parent = this.restoreFolder(folder.parent);
    const namesake = this.findByName(parent, folder.name);
    if (namesake) return namesake;
    Object.assign(folder, { parent, active: true });
    return id;
  }
}

/** A random step. The action determines which of the indexes into the lists of folders and files it uses. */
interface Step {
  action: keyof typeof ACTIONS;
  index: number;
  targetIndex: number;
  name: string;
}

/** Returns the id at the index; index 0 is the root (`null`), and indexes beyond the last id wrap around. */
const idAtIndex = (ids: Iterable<string>, index: number): string | null => {
  const all = [null, ...ids];
  return all[index % all.length] ?? null;
};

const outcomeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof ServiceError) return error.reason;
    throw error;
  }
};

const setFileState = (contentId: string, state: string, folder: string | null) =>
  server.query('UPDATE mcdisk.content SET state = $2, parent_catalog_id = $3 WHERE content_id = $1', [
    contentId,
    state,
    folder,
  ]);

async function recycleFile(id: string, file: ModelFile): Promise<void> {
  await setFileState(id, 'RECYCLED', file.folder);
  file.active = false;
}

/** Each action changes the cloud and the model, and compares their outcomes. `id` is the folder at the step's index. */
const ACTIONS = {
  async create(model: TreeModel, cloudID: string, { name }: Step, parent: string | null): Promise<void> {
    const creation = folderTree.create(cloudID, { parentFolderId: parent, name, createdBy: 'user:nobody' });
    const allowed = model.findByName(parent, name) ? 'CATALOG_EXISTS' : 'ok';
    const expected = model.isActive(parent) ? allowed : 'CATALOG_NOT_FOUND';
    expect(await outcomeOf(creation)).toBe(expected);
    if (expected === 'ok') model.folders.set((await creation).folderId, { parent, name, active: true });
  },
  async rename(model: TreeModel, cloudID: string, { name }: Step, id: string | null): Promise<void> {
    const folder = model.folders.get(id ?? '');
    if (id === null || !folder) return;
    const namesake = model.findByName(folder.parent, name);
    const expected = !folder.active ? 'CATALOG_NOT_FOUND' : namesake && namesake !== id ? 'CATALOG_EXISTS' : 'ok';
    expect(await outcomeOf(folderTree.rename(cloudID, id, { name, mayRename: () => true }))).toBe(expected);
    if (expected === 'ok') folder.name = name;
  },
  async move(model: TreeModel, cloudID: string, { targetIndex }: Step, id: string | null): Promise<void> {
    const target = idAtIndex(model.folders.keys(), targetIndex);
    const folder = model.folders.get(id ?? '');
    if (id === null || !folder) return;
    const expectedOutcome = () => {
      if (!folder.active || !model.isActive(target)) return 'CATALOG_NOT_FOUND';
      if (model.pathIdsOf(target).includes(id)) return 'CATALOG_CYCLE';
      return folder.parent !== target && model.findByName(target, folder.name) ? 'CATALOG_EXISTS' : 'ok';
    };
    const expected = expectedOutcome();
    expect(await outcomeOf(folderTree.move(cloudID, id, target))).toBe(expected);
    if (expected === 'ok') folder.parent = target;
  },
  async putFile(model: TreeModel, cloudID: string, _: Step, folder: string | null): Promise<void> {
    if (!model.isActive(folder)) return;
    model.files.set(await seedContent(server, cloudID, { parentFolderId: folder }), { folder, active: true });
  },
  async recycleFile(model: TreeModel, _: string, { index }: Step): Promise<void> {
    const id = idAtIndex(model.files.keys(), index);
    if (id !== null) await recycleFile(id, model.files.get(id)!);
  },
  async deleteEmptyFolder(model: TreeModel, cloudID: string, _: Step, id: string | null): Promise<void> {
    if (id === null) return;
    const empty = model.emptyFoldersIn(id);
    expect((await folderTree.deleteEmpty(cloudID, id)).sort()).toEqual(empty.sort());
    for (const other of empty) Object.assign(model.folders.get(other)!, { active: false });
  },
  async deleteFolderWithFiles(model: TreeModel, cloudID: string, step: Step, id: string | null): Promise<void> {
    for (const [contentId, file] of model.files)
      if (id !== null && file.active && model.pathIdsOf(file.folder).includes(id)) await recycleFile(contentId, file);
    await ACTIONS.deleteEmptyFolder(model, cloudID, step, id);
  },
  async restoreFiles(model: TreeModel, cloudID: string, { index }: Step): Promise<void> {
    const recycled = [...model.files].filter(([, { active }]) => !active).slice(0, 1 + (index % 2));
    const folders = recycled.map(([, { folder }]) => folder);
    const restored = await folderTree.restoreFolders(cloudID, folders);
    for (const [id, file] of recycled) {
      const folder = model.restoreFolder(file.folder);
      expect(restored.get(file.folder)).toMatchObject({ folderId: folder, pathIds: model.pathIdsOf(folder) });
      await setFileState(id, 'ACTIVE', folder);
      Object.assign(file, { folder, active: true });
    }
  },
};

async function expectModelState(model: TreeModel, cloudID: string): Promise<void> {
  const rows = await server.query<{ id: string; active: boolean; chain: string[] } & ModelFolder>(
    `SELECT catalog_id AS id, parent_catalog_id AS parent, name, state = 'ACTIVE' AS active, chain
       FROM mcdisk.catalog WHERE cloud_id = $1`,
    [cloudID],
  );
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(rows.sort(byId)).toEqual(
    [...model.folders].map(([id, folder]) => ({ id, ...folder, chain: model.pathIdsOf(id) })).sort(byId),
  );
}

test('creating, renaming, moving, deleting and restoring folders matches an in-memory tree', async () => {
  const frequent = ['create', 'create', 'putFile', 'deleteFolderWithFiles', 'restoreFiles'] as const;
  const action = fc.constantFrom<Step['action']>(...frequent, ...(Object.keys(ACTIONS) as Step['action'][]));
  const step = fc.record({ action, index: fc.nat(5), targetIndex: fc.nat(5), name: fc.constantFrom('a', 'b') });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const { cloudID } = await createCloud();
      const model = new TreeModel();
      for (const next of steps) {
        await ACTIONS[next.action](model, cloudID, next, idAtIndex(model.folders.keys(), next.index));
        await expectModelState(model, cloudID);
      }
    }),
    { numRuns: propertyRuns(13) },
  );
});
