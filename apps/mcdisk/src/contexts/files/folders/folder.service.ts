import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  CreateCloudDocDto,
  ModifyCloudDocDto,
  CatalogDto,
} from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { hasRight } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../../clouds/cloud-request.js';
import { FolderLookupService } from './folder-lookup.service.js';
import { FolderTreeService } from './folder-tree.service.js';
import { toFolderDto } from './folder-path.js';

/**
 * Creates and renames folders. Callers with the right to read see all folders, even if they may not see all contents.
 */
@Injectable()
export class FolderService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly lookup: FolderLookupService,
    private readonly tree: FolderTreeService,
  ) {}

  /**
   * @throws ServiceError PERMISSION_MISSING without the right to add, CATALOG_NOT_FOUND, CATALOG_EXISTS, LIMIT_REACHED
   */
  async create(caller: Principal, request: CreateCloudDocDto): Promise<CatalogDto> {
    assertSupportedTypes(request);
    const { cloudID, parentCatalogID, path, catalogName: name } = request;
    const { principal: createdBy } = await this.access.authorizeFor(cloudID, caller, CLOUD_RIGHT.ADD);
    const { folderId } = await this.lookup.getOrThrow(cloudID, { catalogID: parentCatalogID, path });
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
}
