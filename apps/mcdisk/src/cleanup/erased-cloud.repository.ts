import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import type { ErasureCounts, ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { AlbumEntity, ContentEntity, FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { FamilyCloudEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import {
  FriendshipProjectionEntity,
  MediaGrantEntity,
} from '@family-watch/domain/family-cloud/entities/share.entities';
import { BlobEntity, RenditionEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { deleteBatch, updateBatch } from '@family-watch/platform/database/entity-queries';
import { ERASURE_BATCH_SIZE } from '@family-watch/platform/app/erasure/account-erasure';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';

/** The snapshot of a dissolved family still names its last owner. */
const CLEAR_OWNERS = `
  UPDATE mcdisk.family_projection SET snapshot = jsonb_set(snapshot, '{ownerUserId}', '"erased"')
  WHERE family_id = ANY($1::text[]) AND snapshot ->> 'ownerUserId' = $2`;

/** Deletes what is left of the clouds of erased families after their contents were purged. */
@Injectable()
export class ErasedCloudRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Counts what the clouds contain. */
  async count(familyIds: readonly string[]): Promise<ErasureCounts> {
    const { manager } = this.unitOfWork;
    const cloudId = In(familyIds);
    return {
      content: await manager.countBy(ContentEntity, { cloudId, state: Not(CONTENT_STATE.PURGED) }),
      catalog: await manager.countBy(FolderEntity, { cloudId }),
      album: await manager.countBy(AlbumEntity, { cloudId }),
    };
  }

  /** Deletes grants that these children gave or received; at most {@link ERASURE_BATCH_SIZE}. Returns their number. */
  deleteGrants(cids: readonly string[]): Promise<number> {
    const where = [{ fromCid: In(cids) }, { toCid: In(cids) }];
    return deleteBatch(this.unitOfWork.manager.getRepository(MediaGrantEntity), { where, limit: ERASURE_BATCH_SIZE });
  }

  /**
   * Condemns blobs of the clouds, which have no contents any more, so that the next garbage collection deletes them without
   * a grace period; at most {@link ERASURE_BATCH_SIZE}. Returns whether the store may still contain bytes.
   */
  async condemnBlobs(familyIds: readonly string[]): Promise<boolean> {
    const blobs = this.unitOfWork.manager.getRepository(BlobEntity);
    const cloudId = In(familyIds);
    const { STAGED, LIVE, CONDEMNED, GONE } = BLOB_STATE;
    const where = [
      { cloudId, state: In([STAGED, LIVE]) },
      { cloudId, state: CONDEMNED, stateSince: Not(0) },
    ];
    await updateBatch(blobs, { where, limit: ERASURE_BATCH_SIZE }, { state: CONDEMNED, stateSince: 0 });
    return blobs.existsBy({ cloudId, state: Not(GONE) });
  }

  /**
   * Deletes the last rows of the clouds, which have neither contents nor bytes; at most {@link ERASURE_BATCH_SIZE} of each
   * table. The rows of the clouds are deleted after all others.
   */
  async deleteRest({ userId, familyIds, cids }: Omit<ErasureSubjects, 'dids'>): Promise<ErasureCounts> {
    const { executor, manager } = this.unitOfWork;
    const cloudId = In(familyIds);
    const batch = { where: { cloudId }, limit: ERASURE_BATCH_SIZE };
    const rendition = await deleteBatch(manager.getRepository(RenditionEntity), batch);
    const blob = rendition > 0 ? 0 : await deleteBatch(manager.getRepository(BlobEntity), batch);
    if (rendition > 0 || blob === ERASURE_BATCH_SIZE) return { rendition, blob };
    const { affected: clouds } = await manager.delete(FamilyCloudEntity, { cloudId });
    await manager.delete(FriendshipProjectionEntity, [{ oneCid: In(cids) }, { otherCid: In(cids) }]);
    await executor.query(CLEAR_OWNERS, [familyIds, userId]);
    return { blob, family_cloud: clouds ?? 0 };
  }
}
