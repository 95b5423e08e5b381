import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { BlobFingerprint } from './upload-commit.repository.js';

/** Changes contents that refer to a blob whose bytes are lost. */
@Injectable()
export class LostBlobRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Changes all contents that refer to the lost blob to refer to another blob with the same bytes. Must be called in a
   * separate transaction. Clears the digest of the lost blob, so that no upload is deduplicated to it.
   * @param now Unix milliseconds
   */
  async replaceReferences(
    lostKey: string,
    newKey: string,
    { cloudId, digest, size }: BlobFingerprint,
    now: number,
  ): Promise<void> {
    const { executor } = this.unitOfWork;
    await executor.query(
      `SELECT FROM mcdisk.content WHERE cloud_id = $1 AND blob_key = $2 ORDER BY content_id FOR NO KEY UPDATE`,
      [cloudId, lostKey],
    );
    await executor.query(`SELECT FROM mcdisk.blob WHERE blob_key IN ($1, $2) ORDER BY blob_key FOR NO KEY UPDATE`, [
      lostKey,
      newKey,
    ]);
    await executor.query(
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, size, digest, state_since) VALUES ($1, $2, 'LIVE', $3, $4, $5)
       ON CONFLICT (blob_key) DO UPDATE SET state = 'LIVE', state_since = $5, size = $3, digest = $4`,
      [newKey, cloudId, size, digest, now],
    );
    await executor.query('UPDATE mcdisk.content SET blob_key = $3 WHERE cloud_id = $1 AND blob_key = $2', [
      cloudId,
      lostKey,
      newKey,
    ]);
    await executor.query('UPDATE mcdisk.blob SET digest = NULL WHERE blob_key = $1', [lostKey]);
  }
}
