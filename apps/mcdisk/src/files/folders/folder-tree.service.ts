import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  FOLDER_STATE,
  MAX_FOLDER_DEPTH,
  MAX_FOLDERS_PER_CLOUD,
} from '@family-watch/domain/family-cloud/contracts/content';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { ResolvedFolder } from './folder-path.js';
import { FolderRepository } from './folder.repository.js';

const { ACTIVE } = FOLDER_STATE;
/** Retention of deleted folders. Running batch tasks must still find the folders of their plans. */
const DELETED_FOLDER_RETENTION_MS = 24 * 60 * 60 * 1_000;
const BATCH_SIZE = 500;
const ROOT_FOLDER: ResolvedFolder = { folderId: null, pathIds: [] };

/** A folder to create. */
export type NewFolder = Pick<FolderEntity, 'parentFolderId' | 'name' | 'createdBy'>;

/**
 * Changes the folder tree of a cloud. Each method joins the current transaction or starts one, and locks the folder
 * tree first. A transaction that also changes contents must lock the contents before the tree. A transaction that locks
 * folders for share must lock the tree before the folders. The caller must check the permissions.
 */
@Injectable()
export class FolderTreeService {
  constructor(
    private readonly folders: FolderRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * @throws ServiceError CATALOG_NOT_FOUND for the parent, CATALOG_EXISTS, LIMIT_REACHED when the tree is too deep or
   * has too many folders
   */
  create(cloudId: string, { parentFolderId, name, createdBy }: NewFolder): Promise<FolderEntity> {
    return this.withLockedTree(cloudId, async () => {
      const parent = await this.resolve(cloudId, parentFolderId);
      await this.assertNameAvailable(cloudId, parent, name);
      if (!(await this.hasCapacity(cloudId, parent))) throw new ServiceError('LIMIT_REACHED');
      const [folderId, now] = [randomUUID(), Date.now()];
      const folder: FolderEntity = {
        folderId,
        cloudId,
        parentFolderId,
        name,
        createdBy,
        state: ACTIVE,
        pathIds: [...parent.pathIds, folderId],
        createdAt: now,
        updatedAt: now,
      };
      await this.folders.insert(folder);
      return folder;
    });
  }

  /**
   * @param mayRename called with the current folder; when the result is false, PERMISSION_MISSING is thrown
   * @throws ServiceError CATALOG_NOT_FOUND, PERMISSION_MISSING, CATALOG_EXISTS
   */
  rename(
    cloudId: string,
    folderId: string,
    { name, mayRename }: { name: string; mayRename: (folder: FolderEntity) => boolean },
  ): Promise<FolderEntity> {
    return this.withLockedTree(cloudId, async () => {
      const folder = await this.getOrThrow(cloudId, folderId);
      if (!mayRename(folder)) throw new ServiceError('PERMISSION_MISSING');
      if (folder.name === name) return folder;
      await this.assertNameAvailable(cloudId, { folderId: folder.parentFolderId }, name);
      const changes = { name, updatedAt: Date.now() };
      await this.folders.rename(cloudId, folderId, changes);
      return { ...folder, ...changes };
    });
  }

  /**
   * Moves a folder with all its descendants. Does nothing when the target is already the parent of the folder.
   * @param targetId the new parent folder, `null` for the root
   * @throws ServiceError CATALOG_NOT_FOUND for the folder or the target, CATALOG_CYCLE, CATALOG_EXISTS, LIMIT_REACHED
   * when the tree would be too deep
   */
  move(cloudId: string, folderId: string, targetId: string | null): Promise<FolderEntity> {
    return this.withLockedTree(cloudId, async () => {
      const folder = await this.getOrThrow(cloudId, folderId);
      const target = await this.resolve(cloudId, targetId);
      if (target.pathIds.includes(folderId)) throw new ServiceError('CATALOG_CYCLE');
      if (folder.parentFolderId === targetId) return folder;
      await this.assertNameAvailable(cloudId, target, folder.name);
      const deepest = (await this.folders.findTree(cloudId, folderId)).at(-1) ?? folder;
      const depth = target.pathIds.length + 1 + deepest.pathIds.length - folder.pathIds.length;
      if (depth > MAX_FOLDER_DEPTH) throw new ServiceError('LIMIT_REACHED');
      return this.moveSubtree(folder, target);
    });
  }

  /**
   * Deletes a folder and its descendants, except folders that contain active contents, directly or in descendants. A
   * concurrent addition to a deleted folder either precedes the deletion or fails.
   * @returns ids of the deleted folders, which do not include `folderId` when this folder still contains active
   * contents
   */
  deleteEmpty(cloudId: string, folderId: string): Promise<string[]> {
    return this.withLockedTree(cloudId, async () => {
      if (!isUuid(folderId)) return [];
      await this.folders.lockSubtree(cloudId, folderId);
      return this.folders.deleteEmpty(cloudId, folderId, Date.now());
    });
  }

  /**
   * Restores the deleted folders of restored contents, with the ancestors of these folders. If another folder with the
   * same name exists by now, the contents are restored to that folder; if a limit on folders is reached, to the parent
   * folder.
   * @param folderIds the former folders of the contents, `null` for the root
   * @returns for each former folder the folder to restore to, which cannot be deleted until commit
   */
  restoreFolders(cloudId: string, folderIds: readonly (string | null)[]): Promise<Map<string | null, ResolvedFolder>> {
    return this.withLockedTree(cloudId, async () => {
      const existing = await this.findWithAncestors(
        cloudId,
        folderIds.flatMap((id) => id ?? []),
      );
      const resolved = new Map<string | null, ResolvedFolder>([[null, ROOT_FOLDER]]);
      for (const folderId of folderIds) await this.restoreFolder(existing, resolved, folderId);
      return resolved;
    });
  }

  /**
   * Deletes the rows of deleted folders to which no content can be restored any more. Replicas process different rows.
   * @param now Unix milliseconds
   */
  @OnJob('mcdisk.folders.delete-unreferenced', { intervalMs: 60 * 60_000 })
  async deleteUnreferenced(now: number): Promise<number> {
    let total = 0;
    let count: number;
    do {
      count = await this.folders.deleteUnreferenced(now - DELETED_FOLDER_RETENTION_MS, BATCH_SIZE);
      total += count;
    } while (count > 0);
    return total;
  }

  private withLockedTree<Result>(cloudId: string, work: () => Promise<Result>): Promise<Result> {
    return this.unitOfWork.run(async () => {
      await this.folders.lockTree(cloudId);
      return work();
    });
  }

  private async getOrThrow(cloudId: string, folderId: string): Promise<FolderEntity> {
    const folder = isUuid(folderId) ? await this.folders.findActive(cloudId, folderId) : null;
    if (!folder) throw new ServiceError('CATALOG_NOT_FOUND');
    return folder;
  }

  private resolve(cloudId: string, folderId: string | null): Promise<ResolvedFolder> {
    return folderId === null ? Promise.resolve(ROOT_FOLDER) : this.getOrThrow(cloudId, folderId);
  }

  private async assertNameAvailable(
    cloudId: string,
    parent: Pick<ResolvedFolder, 'folderId'>,
    name: string,
  ): Promise<void> {
    if (await this.folders.findByName(cloudId, parent.folderId, name)) throw new ServiceError('CATALOG_EXISTS');
  }

  private async hasCapacity(cloudId: string, parent: ResolvedFolder): Promise<boolean> {
    return (
      parent.pathIds.length < MAX_FOLDER_DEPTH && (await this.folders.countActive(cloudId)) < MAX_FOLDERS_PER_CLOUD
    );
  }

  private async moveSubtree(folder: FolderEntity, target: ResolvedFolder): Promise<FolderEntity> {
    const { cloudId, folderId } = folder;
    const now = Date.now();
    await this.folders.lockSubtree(cloudId, folderId);
    await this.folders.moveSubtree(cloudId, folderId, target, now);
    const pathIds = [...target.pathIds, folderId];
    return { ...folder, parentFolderId: target.folderId, pathIds, state: ACTIVE, updatedAt: now };
  }

  private async findWithAncestors(cloudId: string, folderIds: readonly string[]): Promise<Map<string, FolderEntity>> {
    const requested = await this.folders.findMany(cloudId, [...new Set(folderIds)]);
    const all = await this.folders.findMany(cloudId, [...new Set(requested.flatMap(({ pathIds }) => pathIds))]);
    return new Map(all.map((folder) => [folder.folderId, folder]));
  }

  private async restoreFolder(
    existing: ReadonlyMap<string, FolderEntity>,
    resolved: Map<string | null, ResolvedFolder>,
    folderId: string | null,
  ): Promise<ResolvedFolder> {
    const done = resolved.get(folderId);
    if (done) return done;
    const folder = folderId === null ? undefined : existing.get(folderId);
    const target = folder
      ? await this.findOrRestore(folder, await this.restoreFolder(existing, resolved, folder.parentFolderId))
      : ROOT_FOLDER;
    resolved.set(folderId, target);
    return target;
  }

  /**
   * Returns the folder if it is active, otherwise an active folder with its name in the same parent, otherwise the
   * restored folder. Returns the parent when a limit on folders is reached.
   */
  private async findOrRestore(folder: FolderEntity, parent: ResolvedFolder): Promise<ResolvedFolder> {
    if (folder.state === ACTIVE) return folder;
    const namesake = await this.folders.findByName(folder.cloudId, parent.folderId, folder.name);
    if (namesake) return namesake;
    return (await this.hasCapacity(folder.cloudId, parent)) ? this.moveSubtree(folder, parent) : parent;
  }
}
