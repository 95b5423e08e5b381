import { Injectable } from '@nestjs/common';
import type { CatalogEntity } from '@family-watch/domain/family-cloud/entities/catalog.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { CATALOG_ORDER, orderBy } from '../contents/listing-order.js';
import type { ListingOrder } from '../contents/listing-order.js';

const COLUMNS = `catalog_id AS "catalogId", cloud_id AS "cloudId", parent_catalog_id AS "parentCatalogId", name, chain,
  created_by AS "createdBy", state, created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Lists of folders. */
@Injectable()
export class CatalogListingRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** One page of the active folders in a folder. @param parentCatalogId `null`: the root catalog */
  findPage(cloudId: string, parentCatalogId: string | null, order: ListingOrder): Promise<CatalogEntity[]> {
    const { condition, parameters } = within(cloudId, parentCatalogId);
    const [limit, offset] = [parameters.length + 1, parameters.length + 2];
    return this.unitOfWork.prepared.query<CatalogEntity>(
      `SELECT ${COLUMNS} FROM mcdisk.catalog WHERE ${condition}
        ORDER BY ${orderBy(CATALOG_ORDER, order)} LIMIT $${limit}::bigint OFFSET $${offset}::bigint`,
      [...parameters, order.limit, order.offset],
    );
  }

  async count(cloudId: string, parentCatalogId: string | null): Promise<number> {
    const { condition, parameters } = within(cloudId, parentCatalogId);
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `SELECT count(*) AS count FROM mcdisk.catalog WHERE ${condition}`,
      parameters,
    );
    return row?.count ?? 0;
  }
}

function within(cloudId: string, parentCatalogId: string | null): { condition: string; parameters: unknown[] } {
  return parentCatalogId === null
    ? { condition: `cloud_id = $1 AND parent_catalog_id IS NULL AND state = 'ACTIVE'`, parameters: [cloudId] }
    : {
        condition: `cloud_id = $1 AND parent_catalog_id = $2 AND state = 'ACTIVE'`,
        parameters: [cloudId, parentCatalogId],
      };
}
