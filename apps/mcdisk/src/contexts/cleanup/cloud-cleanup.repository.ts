import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/**
 * Tables with rows of a cloud, in the order in which they are emptied: a table comes before the tables that its rows
 * refer to. Rows of other tables are deleted with the rows that they refer to (ON DELETE CASCADE).
 */
export const CLEANUP_TABLES = [
  'batch_task',
  'bin_emptying',
  'media_grant',
  'share',
  'album',
  'upload',
  'catalog',
] as const;

/** Cleans up all data of a cloud or child except contents. */
@Injectable()
export class CloudCleanupRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Deletes the rows of a cloud after its contents were deleted. The row of the cloud itself stays, because the rows of
   * its blobs refer to it until garbage collection deletes them.
   */
  async deleteRows(cloudId: string): Promise<void> {
    for (const table of CLEANUP_TABLES) {
      await this.unitOfWork.executor.query(`DELETE FROM mcdisk.${table} WHERE cloud_id = $1`, [cloudId]);
    }
  }

  /** Reassigns a child's albums to the family. */
  async reassignAlbumsToFamily(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query('UPDATE mcdisk.album SET cid = NULL WHERE cloud_id = $1 AND cid = $2', [
      cloudId,
      cid,
    ]);
  }
}
