import { Injectable } from '@nestjs/common';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { FOLDER_ORDER, orderBySql } from '../contents/listing-order.js';
import type { ListingOrder } from '../contents/listing-order.js';

const FOLDER_COLUMNS = `catalog_id AS "folderId", cloud_id AS "cloudId", parent_catalog_id AS "parentFolderId", name,
  chain AS "pathIds", created_by AS "createdBy", state, created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Lists folders. */
@Injectable()
export class FolderListingRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Returns one page of the active folders in a folder. @param parentFolderId the parent folder, `null` for the root
   */
  findPage(cloudId: string, parentFolderId: string | null, order: ListingOrder): Promise<FolderEntity[]> {
    const { condition, parameters } = conditionOf(cloudId, parentFolderId);
    const [limit, offset] = [parameters.length + 1, parameters.length + 2];
    return this.unitOfWork.prepared.query<FolderEntity>(
      `SELECT ${FOLDER_COLUMNS} FROM mcdisk.catalog WHERE ${condition}
        ORDER BY ${orderBySql(FOLDER_ORDER, order)} LIMIT $${limit}::bigint OFFSET $${offset}::bigint`,
      [...parameters, order.limit, order.offset],
    );
  }

  async count(cloudId: string, parentFolderId: string | null): Promise<number> {
    const { condition, parameters } = conditionOf(cloudId, parentFolderId);
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `SELECT count(*) AS count FROM mcdisk.catalog WHERE ${condition}`,
      parameters,
    );
    return row?.count ?? 0;
  }
}

function conditionOf(cloudId: string, parentFolderId: string | null): { condition: string; parameters: unknown[] } {
  return parentFolderId === null
    ? { condition: `cloud_id = $1 AND parent_catalog_id IS NULL AND state = 'ACTIVE'`, parameters: [cloudId] }
    : {
        condition: `cloud_id = $1 AND parent_catalog_id = $2 AND state = 'ACTIVE'`,
        parameters: [cloudId, parentFolderId],
      };
}
