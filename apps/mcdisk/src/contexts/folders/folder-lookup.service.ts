import { Injectable } from '@nestjs/common';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/folder.entity';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { parsePath } from '../contents/folder-path.js';
import { FolderRepository } from './folder.repository.js';

/** Where something lies: the root catalog is `null` with an empty path. */
export interface ResolvedFolder {
  folderId: string | null;
  /** Catalogs from the root down, the one itself last. */
  pathIds: string[];
}

/** The two ways to name a catalog; empty or absent both mean the root. */
export interface FolderReference {
  catalogID?: string;
  path?: string;
}

export function isRootReference({ catalogID = '', path = '' }: FolderReference): boolean {
  return catalogID === '' && (path === '' || parsePath(path)?.length === 0);
}

/** Finds the folder that a request names. */
@Injectable()
export class FolderLookupService {
  constructor(private readonly catalogs: FolderRepository) {}

  /**
   * As things stand now. A request that names a catalog twice must mean the same one.
   * @throws ServiceError CATALOG_NOT_FOUND for unknown, foreign, deleted and malformed ones alike
   */
  getOrThrow(cloudId: string, named: FolderReference): Promise<ResolvedFolder> {
    return this.resolve(named, (folderId) => this.catalogs.findActive(cloudId, folderId));
  }

  /**
   * The same inside of a unit of work: nobody moves or deletes the folder before it ends. Whoever puts something
   * into a folder holds it, after the contents are locked and before blobs and the cloud's row.
   * @throws ServiceError CATALOG_NOT_FOUND
   */
  lockForShare(cloudId: string, named: FolderReference): Promise<ResolvedFolder> {
    return this.resolve(named, (folderId) => this.catalogs.lockActiveForShare(cloudId, folderId));
  }

  private async resolve(
    { catalogID = '', path = '' }: FolderReference,
    find: (folderId: string) => Promise<FolderEntity | null>,
  ): Promise<ResolvedFolder> {
    const named = path === '' ? undefined : parsePath(path);
    if (path !== '' && !named) throw new ServiceError('CATALOG_NOT_FOUND');
    const folderId = catalogID === '' ? (named?.at(-1) ?? '') : catalogID;
    const pathIds = folderId === '' ? [] : (isUuid(folderId) && (await find(folderId))?.pathIds) || undefined;
    if (!pathIds || (named && named.join('/') !== pathIds.join('/'))) throw new ServiceError('CATALOG_NOT_FOUND');
    return { folderId: pathIds.at(-1) ?? null, pathIds };
  }
}
