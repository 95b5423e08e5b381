import { FAMILY_CATALOG_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { CatalogDto } from '@family-watch/domain/family-cloud/dto/query-content-list.dto';
import type { CatalogEntity } from '@family-watch/domain/family-cloud/entities/catalog.entity';
import { formatPath } from '../contents/catalog-path.js';

/** A folder as its callers get it. */
export function catalogDto(catalog: CatalogEntity): CatalogDto {
  return {
    catalogID: catalog.catalogId,
    parentCatalogID: catalog.parentCatalogId ?? '',
    catalogName: catalog.name,
    catalogType: FAMILY_CATALOG_TYPE,
    path: formatPath(catalog.chain),
    createTime: catalog.createdAt,
    lastUpdateTime: catalog.updatedAt,
  };
}
