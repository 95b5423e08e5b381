import { FAMILY_CATALOG_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { CatalogDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { formatPath } from '../contents/folder-path.js';

/** Converts a folder to its DTO. */
export function toFolderDto(folder: FolderEntity): CatalogDto {
  return {
    catalogID: folder.folderId,
    parentCatalogID: folder.parentFolderId ?? '',
    catalogName: folder.name,
    catalogType: FAMILY_CATALOG_TYPE,
    path: formatPath(folder.pathIds),
    createTime: folder.createdAt,
    lastUpdateTime: folder.updatedAt,
  };
}
