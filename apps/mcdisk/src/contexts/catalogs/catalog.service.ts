import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { CreateCloudDocDto, ModifyCloudDocDto } from '@family-watch/domain/family-cloud/dto/cloud-doc.dto';
import type { CatalogDto } from '@family-watch/domain/family-cloud/dto/query-content-list.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { mayIn } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupported } from '../clouds/supported-types.js';
import { CatalogLookup } from './catalog-lookup.service.js';
import { CatalogTree } from './catalog-tree.service.js';
import { catalogDto } from './catalog-dto.js';

/** Folders as their callers make and name them. All who may read see all folders, whatever of their contents they see. */
@Injectable()
export class CatalogService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly lookup: CatalogLookup,
    private readonly tree: CatalogTree,
  ) {}

  /** @throws ServiceError PERMISSION_MISSING without ADD, CATALOG_NOT_FOUND, CATALOG_EXISTS, LIMIT_REACHED */
  async create(caller: Principal, request: CreateCloudDocDto): Promise<CatalogDto> {
    assertSupported(request);
    const { cloudID, parentCatalogID, path, catalogName: name } = request;
    const { principal: createdBy } = await this.access.admitWith(cloudID, caller, CLOUD_RIGHT.ADD);
    const { folderId } = await this.lookup.require(cloudID, { catalogID: parentCatalogID, path });
    return catalogDto(await this.tree.create(cloudID, { parentFolderId: folderId, name, createdBy }));
  }

  /**
   * Whoever may delete may rename, and so may who made the folder.
   * @throws ServiceError PERMISSION_MISSING, CATALOG_NOT_FOUND, CATALOG_EXISTS
   */
  async rename(caller: Principal, request: ModifyCloudDocDto): Promise<CatalogDto> {
    assertSupported(request);
    const { cloudID, catalogID, catalogName: name } = request;
    const actor = await this.access.admitWith(cloudID, caller, CLOUD_RIGHT.ADD);
    const catalog = await this.tree.rename(cloudID, catalogID, {
      name,
      mayRename: ({ createdBy }) => createdBy === actor.principal || mayIn(actor, CLOUD_RIGHT.DELETE),
    });
    return catalogDto(catalog);
  }
}
