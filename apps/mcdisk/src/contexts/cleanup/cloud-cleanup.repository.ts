import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/** In an order in which nothing refers to what has gone; what hangs on these rows goes with them. */
export const CLEANUP_TABLES = [
  'batch_task',
  'bin_emptying',
  'media_grant',
  'share',
  'album',
  'upload',
  'catalog',
] as const;

/** Cleans up the data of a cloud or child other than contents. */
@Injectable()
export class CloudCleanupRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Deletes all rows of a cloud whose contents were deleted. The cloud's own row stays: the rows of its blobs reference
   * it until they are deleted.
   */
  async empty(cloudId: string): Promise<void> {
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
