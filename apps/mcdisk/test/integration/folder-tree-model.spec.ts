import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { FolderTreeService } from '../../src/contexts/files/folders/folder-tree.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { seedContents } from '../support/seeded-cloud.js';
import { sampleFamily } from '../support/family.js';

let server: CloudServer;
let folderTree: FolderTreeService;

beforeAll(async () => {
  server = await CloudServer.getShared();
  folderTree = server.get(FolderTreeService);
});
afterAll(() => server.stop());

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

  /** Returns the ids of a folder and all its descendants, both active and deleted. */
  subtreeOf(id: string): string[] {
    return [...this.folders.keys()].filter((other) => this.pathIdsOf(other).includes(id));
  }

  hasFiles(id: string): boolean {
    return [...this.files.values()].some(({ active, folder }) => active && this.pathIdsOf(folder).includes(id));
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

class TestCloud {
  constructor(readonly cloudID: string) {}
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

/** A step of the random test. Compares all folders of the cloud with the model after the step. */
abstract class TreeCommand implements fc.AsyncCommand<TreeModel, TestCloud> {
  check(): boolean {
    return true;
  }

  async run(model: TreeModel, { cloudID }: TestCloud): Promise<void> {
    await this.apply(model, cloudID);
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

  protected abstract apply(model: TreeModel, cloudID: string): Promise<void>;
}

class CreateFolder extends TreeCommand {
  constructor(
    private readonly parent: number,
    private readonly name: string,
  ) {
    super();
  }

  protected async apply(model: TreeModel, cloudID: string): Promise<void> {
    const [parent, name] = [idAtIndex(model.folders.keys(), this.parent), this.name];
    const creation = folderTree.create(cloudID, { parentFolderId: parent, name, createdBy: 'user:nobody' });
    const expected = !model.isActive(parent)
      ? 'CATALOG_NOT_FOUND'
      : model.findByName(parent, name)
        ? 'CATALOG_EXISTS'
        : 'ok';
    expect(await outcomeOf(creation)).toBe(expected);
    if (expected === 'ok') model.folders.set((await creation).folderId, { parent, name, active: true });
  }

  override toString = () => `create ${this.name} in ${this.parent}`;
}

class RenameFolder extends TreeCommand {
  constructor(
    private readonly folder: number,
    private readonly name: string,
  ) {
    super();
  }

  protected async apply(model: TreeModel, cloudID: string): Promise<void> {
    const id = idAtIndex(model.folders.keys(), this.folder);
    const folder = id === null ? undefined : model.folders.get(id);
    if (id === null || !folder) return;
    const namesake = model.findByName(folder.parent, this.name);
    const expected = !folder.active ? 'CATALOG_NOT_FOUND' : namesake && namesake !== id ? 'CATALOG_EXISTS' : 'ok';
    const renamed = folderTree.rename(cloudID, id, { name: this.name, mayRename: () => true });
    expect(await outcomeOf(renamed)).toBe(expected);
    if (expected === 'ok') folder.name = this.name;
  }

  override toString = () => `rename ${this.folder} to ${this.name}`;
}

class MoveFolder extends TreeCommand {
  constructor(
    private readonly folder: number,
    private readonly target: number,
  ) {
    super();
  }

  protected async apply(model: TreeModel, cloudID: string): Promise<void> {
    const id = idAtIndex(model.folders.keys(), this.folder);
    const target = idAtIndex(model.folders.keys(), this.target);
    const folder = id === null ? undefined : model.folders.get(id);
    if (id === null || !folder) return;
    const expected = this.expectedOutcome(model, id, target);
    expect(await outcomeOf(folderTree.move(cloudID, id, target))).toBe(expected);
    if (expected === 'ok') folder.parent = target;
  }

  private expectedOutcome(model: TreeModel, id: string, target: string | null): string {
    const folder = model.folders.get(id);
    if (!folder?.active || !model.isActive(target)) return 'CATALOG_NOT_FOUND';
    if (model.pathIdsOf(target).includes(id)) return 'CATALOG_CYCLE';
    return folder.parent !== target && model.findByName(target, folder.name) ? 'CATALOG_EXISTS' : 'ok';
  }

  override toString = () => `move ${this.folder} to ${this.target}`;
}

class PutFile extends TreeCommand {
  constructor(private readonly folder: number) {
    super();
  }

  protected async apply(model: TreeModel, cloudID: string): Promise<void> {
    const folder = idAtIndex(model.folders.keys(), this.folder);
    if (!model.isActive(folder)) return;
    const [contentId] = await seedContents(server, cloudID, [{ parentFolderId: folder }]);
    model.files.set(contentId!, { folder, active: true });
  }

  override toString = () => `put a file into ${this.folder}`;
}

class RecycleFile extends TreeCommand {
  constructor(private readonly file: number) {
    super();
  }

  protected async apply(model: TreeModel): Promise<void> {
    const id = idAtIndex(model.files.keys(), this.file);
    if (id === null) return;
    await setFileState(id, 'RECYCLED', model.files.get(id)?.folder ?? null);
    Object.assign(model.files.get(id)!, { active: false });
  }

  override toString = () => `delete file ${this.file}`;
}

class DeleteEmptyFolder extends TreeCommand {
  constructor(protected readonly folder: number) {
    super();
  }

  protected async apply(model: TreeModel, cloudID: string): Promise<void> {
    const id = idAtIndex(model.folders.keys(), this.folder);
    if (id === null) return;
    const empty = model.subtreeOf(id).filter((other) => model.isActive(other) && !model.hasFiles(other));
    expect((await folderTree.deleteEmpty(cloudID, id)).sort()).toEqual(empty.sort());
    for (const other of empty) Object.assign(model.folders.get(other)!, { active: false });
  }

  override toString = () => `delete ${this.folder} as far as it is empty`;
}

/** Deletes a folder with its files: recycles the files first, so that the folder is empty. */
class DeleteFolder extends DeleteEmptyFolder {
  protected override async apply(model: TreeModel, cloudID: string): Promise<void> {
    const id = idAtIndex(model.folders.keys(), this.folder);
    if (id === null) return;
    for (const [contentId, file] of model.files) {
      if (!file.active || !model.pathIdsOf(file.folder).includes(id)) continue;
      await setFileState(contentId, 'RECYCLED', file.folder);
      Object.assign(file, { active: false });
    }
    await super.apply(model, cloudID);
  }

  override toString = () => `delete ${this.folder} with all that is in it`;
}

class RestoreFile extends TreeCommand {
  constructor(private readonly count: number) {
    super();
  }

  protected async apply(model: TreeModel, cloudID: string): Promise<void> {
    const recycled = [...model.files].filter(([, { active }]) => !active).slice(0, this.count);
    const restored = await folderTree.restoreFolders(
      cloudID,
      recycled.map(([, { folder }]) => folder),
    );
    for (const [id, file] of recycled) {
      const folder = model.restoreFolder(file.folder);
      const restoredFolder = restored.get(file.folder);
      expect(restoredFolder).toMatchObject({ folderId: folder, pathIds: model.pathIdsOf(folder) });
      await setFileState(id, 'ACTIVE', folder);
      Object.assign(file, { folder, active: true });
    }
  }

  override toString = () => `restore ${this.count} files`;
}

async function setFileState(contentId: string, state: string, folder: string | null): Promise<void> {
  await server.query('UPDATE mcdisk.content SET state = $2, parent_catalog_id = $3 WHERE content_id = $1', [
    contentId,
    state,
    folder,
  ]);
}

test('creating, renaming, moving, deleting and restoring folders matches an in-memory tree', async () => {
  const index = fc.nat(5);
  const name = fc.constantFrom('a', 'b');
  const create = fc.tuple(index, name).map(([parent, other]) => new CreateFolder(parent, other));
  const putFile = index.map((folder) => new PutFile(folder));
  const deleteFolder = index.map((folder) => new DeleteFolder(folder));
  const restore = fc.nat(1).map((count) => new RestoreFile(count + 1));
  const steps = fc.commands(
    [
      create,
      create,
      create,
      putFile,
      putFile,
      fc.tuple(index, name).map(([folder, other]) => new RenameFolder(folder, other)),
      fc.tuple(index, index).map(([folder, target]) => new MoveFolder(folder, target)),
      index.map((file) => new RecycleFile(file)),
      index.map((folder) => new DeleteEmptyFolder(folder)),
      deleteFolder,
      deleteFolder,
      restore,
      restore,
    ],
    { maxCommands: 60, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (commands) => {
      const { snapshot, cloudID } = sampleFamily();
      await server.publishFamily(snapshot);
      await fc.asyncModelRun(() => ({ model: new TreeModel(), real: new TestCloud(cloudID) }), commands);
    }),
    { numRuns: propertyRuns(13) },
  );
});
