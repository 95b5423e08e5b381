import { Injectable } from '@nestjs/common';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { parsePath } from './folder-path.js';
import { FolderRepository } from './folder.repository.js';

/** A folder and its path. The root has the id `null` and an empty path. */
export interface ResolvedFolder {
  folderId: string | null;
  /** Folder ids from the root down, including the folder itself. */
  pathIds: string[];
}

/** A reference to a folder by id or by path. An empty or absent reference means the root. */
export interface FolderReference {
  catalogID?: string;
  path?: string;
}

export function isRootReference({ catalogID = '', path = '' }: FolderReference): boolean {
  return catalogID === '' && (path === '' || parsePath(path)?.length === 0);
}

/** Finds the folder to which a request refers. */
@Injectable()
export class FolderLookupService {
  constructor(private readonly folders: FolderRepository) {}

  /**
   * Resolves an active folder. If the request has both an id and a path, they must refer to the same folder.
   * @throws ServiceError CATALOG_NOT_FOUND for folders that do not exist, are deleted or belong to another cloud, and
   * for malformed references
   */
  getOrThrow(cloudId: string, reference: FolderReference): Promise<ResolvedFolder> {
    return this.resolve(reference, (folderId) => this.folders.findActive(cloudId, folderId));
  }

  /**
   * Resolves an active folder and locks it for share: it cannot be moved or deleted until commit. A transaction that
   * adds something to a folder must lock this folder, after contents and before blobs and the cloud's row.
   * @throws ServiceError CATALOG_NOT_FOUND
   */
  lockForShare(cloudId: string, reference: FolderReference): Promise<ResolvedFolder> {
    return this.resolve(reference, (folderId) => this.folders.lockActiveForShare(cloudId, folderId));
  }

  private async resolve(
    { catalogID = '', path = '' }: FolderReference,
    find: (folderId: string) => Promise<FolderEntity | null>,
  ): Promise<ResolvedFolder> {
    const idsOfPath = path === '' ? undefined : parsePath(path);
    if (path !== '' && !idsOfPath) throw new ServiceError('CATALOG_NOT_FOUND');
    const folderId = catalogID === '' ? (idsOfPath?.at(-1) ?? '') : catalogID;
    const pathIds = folderId === '' ? [] : (isUuid(folderId) && (await find(folderId))?.pathIds) || undefined;
    if (!pathIds || (idsOfPath && idsOfPath.join('/') !== pathIds.join('/')))
      throw new ServiceError('CATALOG_NOT_FOUND');
    return { folderId: pathIds.at(-1) ?? null, pathIds };
  }
}
