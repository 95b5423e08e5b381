import { Injectable } from '@nestjs/common';
import type { EntityTarget } from 'typeorm';
import {
  AlbumEntity,
  FolderEntity,
  RecycleBinEmptyingEntity,
} from '@family-watch/domain/family-cloud/entities/content.entities';
import { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { MediaGrantEntity, ShareEntity } from '@family-watch/domain/family-cloud/entities/share.entities';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { ERASED_PRINCIPAL } from './cleanup-task.repository.js';

/**
 * Entities of a cloud, in the order in which their tables are emptied: a table comes before the tables that its rows
 * refer to. Rows of other tables are deleted with the rows that they refer to (ON DELETE CASCADE).
 */
export const CLEANUP_ENTITIES: readonly EntityTarget<{ cloudId: string }>[] = [
  BatchTaskEntity,
  RecycleBinEmptyingEntity,
  MediaGrantEntity,
  ShareEntity,
  AlbumEntity,
  UploadEntity,
  FolderEntity,
];

/**
 * Cleans up the data of clouds, children and accounts in all tables but contents, which have too many rows for one
 * statement.
 */
@Injectable()
export class CloudCleanupRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Deletes the rows of a cloud after its contents were deleted. The row of the cloud itself stays, because the rows of
   * its blobs refer to it until garbage collection deletes them.
   */
  async deleteRows(cloudId: string): Promise<void> {
    for (const entity of CLEANUP_ENTITIES) await this.unitOfWork.manager.delete(entity, { cloudId });
  }

  /** Reassigns a child's albums to the family. */
  async reassignAlbumsToFamily(cloudId: string, cid: string): Promise<void> {
    await this.unitOfWork.manager.update(AlbumEntity, { cloudId, cid }, { cid: null });
  }

  /**
   * Deletes all references to an account except those in contents and uploads, and anonymizes the references whose rows
   * stay with the family, in the order in which transactions lock the tables.
   */
  async anonymize(principal: PrincipalKey): Promise<void> {
    const { manager } = this.unitOfWork;
    await manager.delete(BatchTaskEntity, { principal });
    await manager.delete(ShareEntity, { grantee: principal });
    await manager.delete(ShareEntity, { createdBy: principal });
    await manager.delete(IdempotencyKeyEntity, { principal });
    await manager.update(FolderEntity, { createdBy: principal }, { createdBy: ERASED_PRINCIPAL });
    await manager.update(AlbumEntity, { createdBy: principal }, { createdBy: ERASED_PRINCIPAL });
    await manager.update(RecycleBinEmptyingEntity, { requestedBy: principal }, { requestedBy: ERASED_PRINCIPAL });
  }

  /** Anonymizes an account and its sessions in uploads. */
  async anonymizeUploads(principal: PrincipalKey): Promise<void> {
    await this.unitOfWork.manager.update(UploadEntity, { principal }, { principal: ERASED_PRINCIPAL, sessionId: '' });
  }
}
