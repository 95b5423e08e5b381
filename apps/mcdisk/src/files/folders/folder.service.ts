import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  CreateCloudDocDto,
  ModifyCloudDocDto,
  CatalogDto,
} from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { hasRight } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../../clouds/cloud-request.js';
import { FolderTreeService } from './folder-tree.service.js';
import { toFolderDto, parsePath, type ResolvedFolder } from './folder-path.js';
import { FolderRepository } from './folder.repository.js';

/** A reference to a folder by id or by path. An empty or absent reference means the root. */
export interface FolderReference {
  catalogID?: string;
  path?: string;
}

/**
 * Finds the folders of requests, and creates and renames folders. Callers with the right to read see all folders, even
 * if they may not see all contents.
 */
@Injectable()
export class FolderService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly tree: FolderTreeService,
    private readonly folders: FolderRepository,
  ) {}

  /**
   * @throws ServiceError PERMISSION_MISSING without the right to add, CATALOG_NOT_FOUND, CATALOG_EXISTS, LIMIT_REACHED
   */
  async create(caller: Principal, request: CreateCloudDocDto): Promise<CatalogDto> {
    assertSupportedTypes(request);
    const { cloudID, parentCatalogID, path, catalogName: name } = request;
    const { principal: createdBy } = await this.access.authorizeFor(cloudID, caller, CLOUD_RIGHT.ADD);
    const { folderId } = await this.getOrThrow(cloudID, { catalogID: parentCatalogID, path });
    return toFolderDto(await this.tree.create(cloudID, { parentFolderId: folderId, name, createdBy }));
  }

  /**
   * Renames a folder. The caller needs the right to delete, or the right to add if they created the folder.
   * @throws ServiceError PERMISSION_MISSING, CATALOG_NOT_FOUND, CATALOG_EXISTS
   */
  async rename(caller: Principal, request: ModifyCloudDocDto): Promise<CatalogDto> {
    assertSupportedTypes(request);
    const { cloudID, catalogID, catalogName: name } = request;
    const actor = await this.access.authorizeFor(cloudID, caller, CLOUD_RIGHT.ADD);
    const folder = await this.tree.rename(cloudID, catalogID, {
      name,
      mayRename: ({ createdBy }) => createdBy === actor.principal || hasRight(actor, CLOUD_RIGHT.DELETE),
    });
    return toFolderDto(folder);
  }

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

export function isRootReference({ catalogID = '', path = '' }: FolderReference): boolean {
  return catalogID === '' && (path === '' || parsePath(path)?.length === 0);
}
