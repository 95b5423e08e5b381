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

/** What is left of a cloud or of a child beside contents. */
@Injectable()
export class CloudCleanupRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Empties a cloud whose contents have gone. The cloud's own row stays: its blobs' rows refer to it until their bytes
   * are gone and forgotten.
   */
  async empty(cloudId: string): Promise<void> {
    for (const table of CLEANUP_TABLES) {
      await this.unitOfWork.executor.query(`DELETE FROM mcdisk.${table} WHERE cloud_id = $1`, [cloudId]);
    }
  }

  /** A child's albums become the family's own. */
  async reassignAlbumsToFamily(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query('UPDATE mcdisk.album SET cid = NULL WHERE cloud_id = $1 AND cid = $2', [
      cloudId,
      cid,
    ]);
  }
}
