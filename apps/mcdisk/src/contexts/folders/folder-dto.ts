import { FAMILY_CATALOG_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { CatalogDto } from '@family-watch/domain/family-cloud/dto/query-content-list.dto';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/folder.entity';
import { formatPath } from '../contents/folder-path.js';

/** A folder as its callers get it. */
export function toFolderDto(catalog: FolderEntity): CatalogDto {
  return {
    catalogID: catalog.folderId,
    parentCatalogID: catalog.parentFolderId ?? '',
    catalogName: catalog.name,
    catalogType: FAMILY_CATALOG_TYPE,
    path: formatPath(catalog.pathIds),
    createTime: catalog.createdAt,
    lastUpdateTime: catalog.updatedAt,
  };
}
