import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';

/**
 * Copies the capture time of a blob to all contents that refer to the blob, in any cloud. Existing capture times are
 * not overwritten, because a member may have set them.
 */
@Injectable()
export class CaptureTimeRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Locks, in id order, the contents of the blob that have no capture time. Must be called before the blob is locked.
   */
  async lockContentsWithoutCaptureTime(blobKey: string): Promise<void> {
    await this.unitOfWork.executor.query(
      `SELECT FROM mcdisk.content c JOIN mcdisk.blob b ON b.cloud_id = c.cloud_id AND b.blob_key = c.blob_key
        WHERE b.blob_key = $1 AND c.shot_at IS NULL ORDER BY c.content_id FOR NO KEY UPDATE OF c`,
      [blobKey],
    );
  }

  /** @param capturedAt Unix milliseconds */
  async setForContents(blobKey: string, capturedAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE mcdisk.content c SET shot_at = $2 FROM mcdisk.blob b
        WHERE b.blob_key = $1 AND c.cloud_id = b.cloud_id AND c.blob_key = b.blob_key AND c.shot_at IS NULL`,
      [blobKey, capturedAt],
    );
  }

  /** Copies to new contents the capture times that were already determined for their blobs. */
  async copyFromBlob(contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content c SET shot_at = r.shot_at FROM mcdisk.rendition r
        WHERE c.content_id = ANY ($1::uuid[]) AND c.shot_at IS NULL
          AND r.source_key = c.blob_key AND r.kind = 'THUMBNAIL' AND r.shot_at IS NOT NULL`,
      [contentIds],
    );
  }
}
