import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
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
    const { manager } = this.unitOfWork;
    await manager.find(ContentEntity, {
      select: { contentId: true },
      where: { cloudId, blobKey: lostKey },
      order: { contentId: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    await manager.find(BlobEntity, {
      select: { blobKey: true },
      where: { blobKey: In([lostKey, newKey]) },
      order: { blobKey: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    // upsert() would also set the key, for which the row of an existing blob would be locked against new references.
    await manager
      .createQueryBuilder()
      .insert()
      .into(BlobEntity)
      .values({ blobKey: newKey, cloudId, state: BLOB_STATE.LIVE, size, digest, stateSince: now })
      .orUpdate(['state', 'state_since', 'size', 'digest'], ['blob_key'])
      .execute();
    await manager.update(ContentEntity, { cloudId, blobKey: lostKey }, { blobKey: newKey });
    await manager.update(BlobEntity, { blobKey: lostKey }, { digest: null });
  }
}
