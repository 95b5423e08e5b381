import type { CloudServer } from './cloud-server.js';
import { COPY_TASK, DELETE_TASK } from './batch-tasks.js';
import type { TaskRequest } from './batch-tasks.js';

interface ModelFolder {
  id: string;
  parent: string | null;
  name: string;
}

interface ModelContent {
  id: string;
  parent: string | null;
  blob: string;
  cid: string | null;
  state: 'ACTIVE' | 'RECYCLED';
}

/** An in-memory model of a cloud, and of the effect of batch tasks on it. */
export class CloudModel {
  private copyCount = 0;

  private constructor(
    private readonly folders: Map<string, ModelFolder>,
    private readonly contents: Map<string, ModelContent>,
  ) {}

  /** Creates a model from the folders and contents that the database has now. */
  static async read(server: CloudServer, cloudID: string): Promise<CloudModel> {
    const folders = await server.query<ModelFolder>(
      `SELECT catalog_id AS id, parent_catalog_id AS parent, name FROM mcdisk.catalog
        WHERE cloud_id = $1 AND state = 'ACTIVE' ORDER BY created_at, catalog_id`,
      [cloudID],
    );
    const contents = await server.query<ModelContent>(
      `SELECT content_id AS id, parent_catalog_id AS parent, blob_key AS blob, cid, state FROM mcdisk.content
        WHERE cloud_id = $1 AND state <> 'PURGED' ORDER BY created_at, content_id`,
      [cloudID],
    );
    return new CloudModel(
      new Map(folders.map((folder) => [folder.id, folder])),
      new Map(contents.map((content) => [content.id, content])),
    );
  }

  get folderIds(): string[] {
    return [...this.folders.keys()];
  }

  get contentIds(): string[] {
    return [...this.contents.keys()];
  }

  /** Lists all folders and contents by path and blob, without ids, to compare two clouds. */
  listPaths(): string[] {
    const folders = [...this.folders.values()].map(({ id }) => `${this.pathOf(id)}/`);
    const contents = [...this.contents.values()].map(
      ({ parent, blob, cid, state }) => `${state === 'ACTIVE' ? this.pathOf(parent) : 'bin'}/${blob}/${cid}`,
    );
    return [...folders, ...contents].sort();
  }

  /**
   * Applies a batch task of a member who sees everything except contents of the child `hidden`. Returns the numbers of
   * items that the task must report as done and as failed.
   */
  apply(task: TaskRequest, hidden: string | null): { done: number; failed: number } {
    const named = new Set(task.catalogIDList);
    const existing = [...named].filter((id) => this.folders.has(id));
    const topFolders = existing.filter(
      (id) => !this.pathIdsOf(id).some((ancestor) => ancestor !== id && named.has(ancestor)),
    );
    const unknown = named.size - existing.length;
    const isVisible = ({ cid }: ModelContent) => cid === null || cid !== hidden;
    const contentIds = new Set(task.contentIDList);
    const viaFolder = [...contentIds].filter((id) => {
      const content = this.contents.get(id);
      const pathIds = content?.state === 'ACTIVE' && isVisible(content) ? this.pathIdsOf(content.parent) : [];
      return pathIds.some((folder) => topFolders.includes(folder));
    });
    const singleContents = [...contentIds].filter((id) => !viaFolder.includes(id));
    const dest = task.destCatalogID === '' ? null : (task.destCatalogID ?? null);
    const result = { done: 0, failed: unknown };
    const count = (succeeded: boolean) => (result[succeeded ? 'done' : 'failed'] += 1);
    if (task.taskType === DELETE_TASK) this.delete({ topFolders, singleContents, isVisible, countResult: count });
    else if (task.taskType === COPY_TASK)
      this.copy({ topFolders, singleContents, destinationId: dest, isVisible, countResult: count });
    else {
      result.done += viaFolder.length + existing.length - topFolders.length;
      this.move({ topFolders, singleContents, destinationId: dest, isVisible, countResult: count });
    }
    return result;
  }

  private delete({ topFolders, singleContents, isVisible, countResult }: Omit<TaskSelection, 'destinationId'>): void {
    for (const topFolder of topFolders) {
      for (const content of this.contentsBelow(topFolder).filter(isVisible)) {
        content.state = 'RECYCLED';
        countResult(true);
      }
    }
    for (const id of singleContents) {
      const content = this.contents.get(id);
      if (content && isVisible(content)) content.state = 'RECYCLED';
      countResult(content !== undefined && isVisible(content));
    }
    for (const topFolder of topFolders) {
      for (const id of this.foldersBelow(topFolder).toReversed()) {
        const isEmpty = this.contentsBelow(id).length === 0;
        if (isEmpty) this.folders.delete(id);
        countResult(isEmpty);
      }
    }
  }

  private copy({ topFolders, singleContents, destinationId, isVisible, countResult }: TaskSelection): void {
    // Determines what to copy before the first copy is created, because a folder may be copied into itself.
    const trees = topFolders.map((topFolder) => ({
      folders: this.foldersBelow(topFolder).map((id) => ({ ...(this.folders.get(id) as ModelFolder) })),
      contents: this.contentsBelow(topFolder).filter(isVisible),
    }));
    const targets = new Map<string, string>();
    for (const { id, parent, name } of trees.flatMap(({ folders }) => folders)) {
      const target = topFolders.includes(id) ? destinationId : targets.get(parent ?? '');
      const isFree = target !== undefined && !this.hasChild(target, name);
      if (isFree) {
        targets.set(id, `copy-${(this.copyCount += 1)}`);
        this.folders.set(targets.get(id) ?? '', { id: targets.get(id) ?? '', parent: target, name });
      }
      countResult(isFree);
    }
    for (const content of trees.flatMap(({ contents }) => contents)) {
      const target = targets.get(content.parent ?? '');
      countResult(target !== undefined && this.copyContent(content, target));
    }
    for (const id of singleContents) {
      const content = this.contents.get(id);
      countResult(content?.state === 'ACTIVE' && isVisible(content) && this.copyContent(content, destinationId));
    }
  }

  private move({ topFolders, singleContents, destinationId, isVisible, countResult }: TaskSelection): void {
    for (const topFolder of topFolders) {
      const folder = this.folders.get(topFolder) as ModelFolder;
      const isInPlace = folder.parent === destinationId && !this.pathIdsOf(destinationId).includes(topFolder);
      const canMove =
        isInPlace || (!this.pathIdsOf(destinationId).includes(topFolder) && !this.hasChild(destinationId, folder.name));
      if (canMove) folder.parent = destinationId;
      countResult(canMove);
    }
    for (const id of singleContents) {
      const content = this.contents.get(id);
      const canMove = content?.state === 'ACTIVE' && isVisible(content);
      if (canMove) content.parent = destinationId;
      countResult(canMove);
    }
  }

  private copyContent(content: ModelContent, parent: string | null): boolean {
    const id = `copy-${(this.copyCount += 1)}`;
    this.contents.set(id, { ...content, id, parent });
    return true;
  }

  private hasChild(parent: string | null, name: string): boolean {
    return [...this.folders.values()].some((folder) => folder.parent === parent && folder.name === name);
  }

  /** Returns the ids of the folder and its descendants, parents before children. */
  private foldersBelow(topFolder: string): string[] {
    return this.folderIds
      .filter((id) => this.pathIdsOf(id).includes(topFolder))
      .sort((a, b) => this.pathIdsOf(a).length - this.pathIdsOf(b).length);
  }

  private contentsBelow(topFolder: string): ModelContent[] {
    return [...this.contents.values()].filter(
      ({ parent, state }) => state === 'ACTIVE' && this.pathIdsOf(parent).includes(topFolder),
    );
  }

  private pathIdsOf(id: string | null): string[] {
    const folder = id === null ? undefined : this.folders.get(id);
    return folder ? [...this.pathIdsOf(folder.parent), folder.id] : [];
  }

  private pathOf(id: string | null): string {
    return this.pathIdsOf(id)
      .map((folderId) => this.folders.get(folderId)?.name)
      .join('/');
  }
}

/** The existing items of a batch task, its destination, and a callback that counts the result of each item. */
interface TaskSelection {
  topFolders: readonly string[];
  singleContents: readonly string[];
  destinationId: string | null;
  isVisible: (content: ModelContent) => boolean;
  countResult: (succeeded: boolean) => unknown;
}
