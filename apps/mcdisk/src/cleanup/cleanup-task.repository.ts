import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual, MoreThan, Not, type FindOptionsWhere } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CLEANUP_KIND, CLEANUP_STATE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import {
  CleanupTaskEntity,
  FamilyProjectionEntity,
} from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';

/** The next step of a cleanup task, and the time at which the step is due. */
export type NextCleanupStep = Pick<CleanupTaskEntity, 'state' | 'cursor' | 'dueAt'>;

/** Retention of a dissolved family's cloud, equal to the retention of contents in the recycle bin. */
export const DISSOLVED_CLOUD_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** Maximum number of contents that one transaction of a cleanup task recycles, purges or reassigns. */
export const CLEANUP_BATCH_SIZE = 200;

const { PENDING, RECEIVING } = UPLOAD_STATE;

@Injectable()
export class CleanupTaskRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Inserts a task unless it exists, because an event may be delivered twice. */
  async insertIfAbsent(task: Pick<CleanupTaskEntity, 'kind' | 'subject' | 'cloudId'>, dueAt: number): Promise<void> {
    await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(CleanupTaskEntity)
      .values({ ...task, state: CLEANUP_STATE.WAITING, dueAt })
      .orIgnore()
      .execute();
  }

  /** Makes a task due no later than at `dueAt` (Unix milliseconds). */
  async advance({ kind, subject }: Pick<CleanupTaskEntity, 'kind' | 'subject'>, dueAt: number): Promise<void> {
    await this.unitOfWork.manager.update(CleanupTaskEntity, { kind, subject, dueAt: MoreThan(dueAt) }, { dueAt });
  }

  /** Deletes the tasks of the children of these families. */
  async removeOfChildren(familyIds: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(CleanupTaskEntity, { kind: CLEANUP_KIND.CHILD, cloudId: In(familyIds) });
  }

  /** Returns whether a task of the account or of one of the families is not finished. */
  hasAny(userId: string, familyIds: readonly string[]): Promise<boolean> {
    return this.unitOfWork.manager.existsBy(CleanupTaskEntity, [
      { kind: CLEANUP_KIND.ACCOUNT, subject: userId },
      { kind: CLEANUP_KIND.FAMILY, subject: In(familyIds) },
    ]);
  }

  /** Deletes a task that was cancelled or is finished. */
  async remove({ kind, subject }: Pick<CleanupTaskEntity, 'kind' | 'subject'>): Promise<void> {
    await this.unitOfWork.manager.delete(CleanupTaskEntity, { kind, subject });
  }

  /**
   * Locks the task that has been due longest and skips locked tasks. Must be called in the transaction that runs the
   * task's next step.
   */
  lockDue(now: number): Promise<CleanupTaskEntity | null> {
    return this.unitOfWork.manager.findOne(CleanupTaskEntity, {
      where: { dueAt: LessThanOrEqual(now) },
      order: { dueAt: 'ASC', subject: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  async saveNextStep({ kind, subject }: CleanupTaskEntity, { state, cursor, dueAt }: NextCleanupStep): Promise<void> {
    await this.unitOfWork.manager.update(CleanupTaskEntity, { kind, subject }, { state, cursor, dueAt });
  }

  /**
   * Postpones a task whose step failed. The failed transaction has released the lock of the task, so a task that was
   * changed since is left unchanged.
   */
  async postpone({ kind, subject, dueAt }: CleanupTaskEntity, postponedTo: number): Promise<void> {
    await this.unitOfWork.manager.update(CleanupTaskEntity, { kind, subject, dueAt }, { dueAt: postponedTo });
  }

  findFamily(familyId: string): Promise<FamilyProjectionEntity | null> {
    return this.unitOfWork.manager.findOneBy(FamilyProjectionEntity, { familyId });
  }

  /** Locks the open uploads of a cloud that were created by a principal who is not in `principals`. */
  lockOpenUploadsOfOthers(cloudId: string, principals: readonly PrincipalKey[]): Promise<string[]> {
    return this.lockOpenUploads({ cloudId, principal: Not(In(principals)) });
  }

  lockOpenUploadsOf(principal: PrincipalKey): Promise<string[]> {
    return this.lockOpenUploads({ principal });
  }

  private async lockOpenUploads(condition: FindOptionsWhere<UploadEntity>): Promise<string[]> {
    const uploads = await this.unitOfWork.manager.find(UploadEntity, {
      select: { contentId: true },
      where: { ...condition, state: In([PENDING, RECEIVING]) },
      order: { contentId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    return uploads.map(({ contentId }) => contentId);
  }
}
