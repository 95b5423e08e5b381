import { Injectable, Logger } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import { CLEANUP_KIND } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { UploadTerminationService } from '../transfers/uploads/upload-termination.service.js';
import { DISSOLVED_CLOUD_RETENTION_MS, CleanupTaskRepository } from './cleanup-task.repository.js';
import { CLEANUP_JOB, McdiskAccountErasure } from './mcdisk-account-erasure.service.js';

/** Schedules cleanups of deleted children, families and accounts. */
@Injectable()
export class CleanupEventHandlers {
  private readonly logger = new Logger(CleanupEventHandlers.name);

  constructor(
    private readonly tasks: CleanupTaskRepository,
    private readonly jobs: JobScheduler,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly uploads: UploadTerminationService,
    private readonly erasure: McdiskAccountErasure,
  ) {}

  /** Schedules the removal of all references to an erased account, and of the clouds that are erased with it. */
  @OnEvent('userctx.account.erased', { handler: 'mcdisk.cleanup.schedule-account' })
  async scheduleAccountCleanup({ payload, time }: EventOf<DomainEvents, 'userctx.account.erased'>): Promise<void> {
    const { receiptId, userId, familyIds, cids, dids } = payload;
    await this.erasure.schedule(receiptId, { userId, familyIds, cids, dids }, payload.time, time);
  }

  /** Schedules the cleanup of the contents that an erased child's watch added. */
  @OnEvent('userctx.child.erased', { handler: 'mcdisk.cleanup.schedule-child' })
  async scheduleChildCleanup({ payload, time }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    const { cid, familyId } = payload;
    await this.tasks.insertIfAbsent({ kind: CLEANUP_KIND.CHILD, subject: cid, cloudId: familyId }, time);
    this.unitOfWork.afterCommit(() => this.jobs.trigger(CLEANUP_JOB));
  }

  /**
   * Aborts the uploads of principals who left the family. Schedules the deletion of a dissolved family's cloud, and
   * cancels this deletion when the family is no longer dissolved.
   */
  @OnEvent('userctx.family.changed', { handler: 'mcdisk.cleanup.schedule-family' })
  async scheduleFamilyCleanup({ payload, time }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const { familyId, version, dissolved } = payload;
    const projected = await this.tasks.findFamily(familyId);
    // An event that arrives after a newer one is ignored, because its snapshot does not contain the current members.
    if (projected && projected.version > version) return;
    const task = { kind: CLEANUP_KIND.FAMILY, subject: familyId, cloudId: familyId };
    if (dissolved) await this.tasks.insertIfAbsent(task, time + DISSOLVED_CLOUD_RETENTION_MS);
    // The event of an erasure may arrive before earlier snapshots of the family.
    else if (!(await this.erasure.erasesFamily(familyId))) await this.tasks.remove(task);
    const uploadIds = await this.tasks.lockOpenUploadsOfOthers(familyId, familyPrincipals(payload));
    const aborted = await this.uploads.terminate(uploadIds, UPLOAD_STATE.ABORTED);
    this.unitOfWork.afterCommit(() => {
      // If the bytes cannot be deleted now, `UploadTerminationService.expire` deletes them later.
      this.uploads
        .cleanUp(aborted)
        .catch((error: unknown) =>
          this.logger.warn({ msg: 'Cleanup of aborted uploads failed', familyId, err: error }),
        );
    });
  }
}
