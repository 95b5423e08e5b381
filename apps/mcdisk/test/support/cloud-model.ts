import type { CloudServer } from './cloud-server.js';
import { COPY_TASK, DELETE_TASK, type TaskRequest } from './batch-tasks.js';

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
    const byId = <Item extends { id: string }>(items: Item[]) => new Map(items.map((item) => [item.id, item]));
    return new CloudModel(byId(folders), byId(contents));
  }

  get folderIds(): string[] {
    return [...this.folders.keys()];
  }

  get contentIds(): string[] {
    return [...this.contents.keys()];
  }

  /** Lists all folders and contents by path and blob, without ids, to compare two clouds. */
  listPaths(): string[] {
    const pathOf = (id: string | null) =>
      this.pathIdsOf(id)
        .map((folderId) => this.folders.get(folderId)?.name)
        .join('/');
    const contents = [...this.contents.values()].map(
      ({ parent, blob, cid, state }) => `${state === 'ACTIVE' ? pathOf(parent) : 'bin'}/${blob}/${cid}`,
    );
    return [...this.folderIds.map((id) => `${pathOf(id)}/`), ...contents].sort();
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
    const visible = (content?: ModelContent) =>
      content && (content.cid === null || content.cid !== hidden) ? content : undefined;
    const active = (content?: ModelContent) => (content?.state === 'ACTIVE' ? visible(content) : undefined);
    const contentIds = [...new Set(task.contentIDList)];
    const isInTopFolder = (id: string) => {
      const content = active(this.contents.get(id));
      return content && this.pathIdsOf(content.parent).some((folder) => topFolders.includes(folder));
    };
    const single = contentIds.filter((id) => !isInTopFolder(id)).map((id) => this.contents.get(id));
    const destination = task.destCatalogID === '' ? null : (task.destCatalogID ?? null);
    const visibleBelow = (id: string) => this.contentsBelow(id).filter((content) => visible(content));
    const result = { done: 0, failed: named.size - existing.length };
    const count = (succeeded: boolean) => (result[succeeded ? 'done' : 'failed'] += 1);

    if (task.taskType === DELETE_TASK) {
      for (const content of [...topFolders.flatMap(visibleBelow), ...single.map(visible)]) {
        if (content) content.state = 'RECYCLED';
        count(content !== undefined);
      }
      for (const id of topFolders.flatMap((topFolder) => this.foldersBelow(topFolder).toReversed())) {
        const isEmpty = this.contentsBelow(id).length === 0;
        if (isEmpty) this.folders.delete(id);
        count(isEmpty);
      }
    } else if (task.taskType === COPY_TASK) {
      // Determines what to copy before the first copy is created, because a folder may be copied into itself.
      const folders = topFolders.flatMap((id) => this.foldersBelow(id)).map((id) => ({ ...this.folders.get(id)! }));
      const contents = topFolders.flatMap(visibleBelow);
      const targets = new Map<string, string>();
      for (const { id, parent, name } of folders) {
        const target = topFolders.includes(id) ? destination : targets.get(parent ?? '');
        const isFree = target !== undefined && !this.hasChild(target, name);
        if (isFree) {
          const copy = this.nextId();
          targets.set(id, copy);
          this.folders.set(copy, { id: copy, parent: target, name });
        }
        count(isFree);
      }
      for (const content of contents) count(this.copyContent(content, targets.get(content.parent ?? '')));
      for (const content of single) count(this.copyContent(active(content), destination));
    } else {
      result.done += contentIds.length - single.length + existing.length - topFolders.length;
      for (const id of topFolders) {
        const folder = this.folders.get(id)!;
        const isFree = folder.parent === destination || !this.hasChild(destination, folder.name);
        const canMove = !this.pathIdsOf(destination).includes(id) && isFree;
        if (canMove) folder.parent = destination;
        count(canMove);
      }
      for (const content of single.map(active)) {
        if (content) content.parent = destination;
        count(content !== undefined);
      }
    }
    return result;
  }

  private nextId(): string {
    return `copy-${(this.copyCount += 1)}`;
  }

  /** Copies a content, if it and the folder exist. */
  private copyContent(content: ModelContent | undefined, parent: string | null | undefined): boolean {
    if (!content || parent === undefined) return false;
    const id = this.nextId();
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
}
