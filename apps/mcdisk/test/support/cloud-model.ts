import type { CloudServer } from './cloud-server.js';
import { COPY, DELETE } from './batch-tasks.js';
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

/** A cloud in memory, and what batch tasks make of it. */
export class CloudModel {
  private copies = 0;

  private constructor(
    private readonly folders: Map<string, ModelFolder>,
    private readonly contents: Map<string, ModelContent>,
  ) {}

  /** What is there now. */
  static async read(server: CloudServer, cloudID: string): Promise<CloudModel> {
    const { executor } = server.unitOfWork;
    const folders = await executor.query<ModelFolder>(
      `SELECT catalog_id AS id, parent_catalog_id AS parent, name FROM mcdisk.catalog
        WHERE cloud_id = $1 AND state = 'ACTIVE' ORDER BY created_at, catalog_id`,
      [cloudID],
    );
    const contents = await executor.query<ModelContent>(
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

  /** Everything that is there, by path and bytes, whatever its ids: what two equal clouds have in common. */
  describe(): string[] {
    const folders = [...this.folders.values()].map(({ id }) => `${this.pathOf(id)}/`);
    const contents = [...this.contents.values()].map(
      ({ parent, blob, cid, state }) => `${state === 'ACTIVE' ? this.pathOf(parent) : 'bin'}/${blob}/${cid}`,
    );
    return [...folders, ...contents].sort();
  }

  /** What a task does for somebody who sees all but the contents of the child `hidden`. */
  apply(task: TaskRequest, hidden: string | null): { done: number; failed: number } {
    const named = new Set(task.catalogIDList);
    const known = [...named].filter((id) => this.folders.has(id));
    const tops = known.filter((id) => !this.chainOf(id).some((above) => above !== id && named.has(above)));
    const unknown = named.size - known.length;
    const isSeen = ({ cid }: ModelContent) => cid === null || cid !== hidden;
    const contentIds = new Set(task.contentIDList);
    const along = [...contentIds].filter((id) => {
      const content = this.contents.get(id);
      const chain = content?.state === 'ACTIVE' && isSeen(content) ? this.chainOf(content.parent) : [];
      return chain.some((folder) => tops.includes(folder));
    });
    const alone = [...contentIds].filter((id) => !along.includes(id));
    const dest = task.destCatalogID === '' ? null : (task.destCatalogID ?? null);
    const result = { done: 0, failed: unknown };
    const count = (succeeded: boolean) => (result[succeeded ? 'done' : 'failed'] += 1);
    if (task.taskType === DELETE) this.delete({ tops, alone, isSeen, count });
    else if (task.taskType === COPY) this.copy({ tops, alone, dest, isSeen, count });
    else {
      result.done += along.length + known.length - tops.length;
      this.move({ tops, alone, dest, isSeen, count });
    }
    return result;
  }

  private delete({ tops, alone, isSeen, count }: Omit<Work, 'dest'>): void {
    for (const top of tops) {
      for (const content of this.contentsBelow(top).filter(isSeen)) {
        content.state = 'RECYCLED';
        count(true);
      }
    }
    for (const id of alone) {
      const content = this.contents.get(id);
      if (content && isSeen(content)) content.state = 'RECYCLED';
      count(content !== undefined && isSeen(content));
    }
    for (const top of tops) {
      for (const id of this.foldersBelow(top).toReversed()) {
        const isEmpty = this.contentsBelow(id).length === 0;
        if (isEmpty) this.folders.delete(id);
        count(isEmpty);
      }
    }
  }

  private copy({ tops, alone, dest, isSeen, count }: Work): void {
    // What is copied is what was there before: a folder may go into itself.
    const trees = tops.map((top) => ({
      folders: this.foldersBelow(top).map((id) => ({ ...(this.folders.get(id) as ModelFolder) })),
      contents: this.contentsBelow(top).filter(isSeen),
    }));
    const targets = new Map<string, string>();
    for (const { id, parent, name } of trees.flatMap(({ folders }) => folders)) {
      const target = tops.includes(id) ? dest : targets.get(parent ?? '');
      const isFree = target !== undefined && !this.hasChild(target, name);
      if (isFree) {
        targets.set(id, `copy-${(this.copies += 1)}`);
        this.folders.set(targets.get(id) ?? '', { id: targets.get(id) ?? '', parent: target, name });
      }
      count(isFree);
    }
    for (const content of trees.flatMap(({ contents }) => contents)) {
      const target = targets.get(content.parent ?? '');
      count(target !== undefined && this.copyContent(content, target));
    }
    for (const id of alone) {
      const content = this.contents.get(id);
      count(content?.state === 'ACTIVE' && isSeen(content) && this.copyContent(content, dest));
    }
  }

  private move({ tops, alone, dest, isSeen, count }: Work): void {
    for (const top of tops) {
      const folder = this.folders.get(top) as ModelFolder;
      const isInPlace = folder.parent === dest && !this.chainOf(dest).includes(top);
      const fits = isInPlace || (!this.chainOf(dest).includes(top) && !this.hasChild(dest, folder.name));
      if (fits) folder.parent = dest;
      count(fits);
    }
    for (const id of alone) {
      const content = this.contents.get(id);
      const moves = content?.state === 'ACTIVE' && isSeen(content);
      if (moves) content.parent = dest;
      count(moves);
    }
  }

  private copyContent(content: ModelContent, parent: string | null): boolean {
    const id = `copy-${(this.copies += 1)}`;
    this.contents.set(id, { ...content, id, parent });
    return true;
  }

  private hasChild(parent: string | null, name: string): boolean {
    return [...this.folders.values()].some((folder) => folder.parent === parent && folder.name === name);
  }

  /** From above downwards. */
  private foldersBelow(top: string): string[] {
    return this.folderIds
      .filter((id) => this.chainOf(id).includes(top))
      .sort((a, b) => this.chainOf(a).length - this.chainOf(b).length);
  }

  private contentsBelow(top: string): ModelContent[] {
    return [...this.contents.values()].filter(
      ({ parent, state }) => state === 'ACTIVE' && this.chainOf(parent).includes(top),
    );
  }

  private chainOf(id: string | null): string[] {
    const folder = id === null ? undefined : this.folders.get(id);
    return folder ? [...this.chainOf(folder.parent), folder.id] : [];
  }

  private pathOf(id: string | null): string {
    return this.chainOf(id)
      .map((one) => this.folders.get(one)?.name)
      .join('/');
  }
}

interface Work {
  tops: readonly string[];
  alone: readonly string[];
  dest: string | null;
  isSeen: (content: ModelContent) => boolean;
  count: (succeeded: boolean) => unknown;
}
