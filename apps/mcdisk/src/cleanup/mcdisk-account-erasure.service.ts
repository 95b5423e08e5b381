import { Injectable } from '@nestjs/common';
import type { ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import { CLEANUP_KIND } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { AccountErasureEntity } from '@family-watch/domain/kernel/entities/account-erasure.entity';
import { AccountErasure, sumCounts, type ErasurePass } from '@family-watch/platform/app/erasure/account-erasure';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { McdiskOutbox, McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { ExportArchivesService } from '../archives/data-exports/export-archives.service.js';
import { GARBAGE_COLLECTION_JOB } from '../storage/garbage-collection/garbage-collection.service.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { ErasedCloudRepository } from './erased-cloud.repository.js';

/** Name of the job that runs cleanup tasks. */
export const CLEANUP_JOB = 'mcdisk.cleanup.run';

/**
 * Erases what mcdisk keeps about erased accounts. Cleanup tasks anonymize the account in clouds that continue, and purge
 * the erased clouds, whose blobs are then deleted without the grace period of other blobs. The passes wait for both.
 */
@Injectable()
export class McdiskAccountErasure extends AccountErasure {
  constructor(
    unitOfWork: McdiskUnitOfWork,
    outbox: McdiskOutbox,
    private readonly tasks: CleanupTaskRepository,
    private readonly clouds: ErasedCloudRepository,
    private readonly archives: ExportArchivesService,
    private readonly jobs: JobScheduler,
  ) {
    super('mcdisk', unitOfWork, outbox);
  }

  /**
   * Schedules the cleanups at `time` and runs the first pass, in the current transaction.
   * @param erasedAt - when the account was erased; times are Unix milliseconds
   */
  async schedule(receiptId: string, subjects: ErasureSubjects, erasedAt: number, time: number): Promise<void> {
    const { userId, familyIds } = subjects;
    await this.tasks.insertIfAbsent({ kind: CLEANUP_KIND.ACCOUNT, subject: userId, cloudId: null }, time);
    for (const familyId of familyIds) {
      const task = { kind: CLEANUP_KIND.FAMILY, subject: familyId, cloudId: familyId };
      await this.tasks.insertIfAbsent(task, time);
      await this.tasks.advance(task, time);
    }
    await this.begin(receiptId, subjects, erasedAt, await this.clouds.count(familyIds));
  }

  @OnJob('mcdisk.account-erasure.continue', {
    intervalMs: 1_000,
    queue: { entity: AccountErasureEntity, dueAt: 'dueAt' },
  })
  continue(now: number, signal: AbortSignal): Promise<void> {
    return this.continueDue(now, signal);
  }

  protected override async erase({ userId, familyIds, cids }: ErasureSubjects): Promise<ErasurePass> {
    const counts = {
      export_archive: await this.archives.delete({ userId }),
      media_grant: await this.clouds.deleteGrants(cids),
    };
    // The task of a child would wait for contents that a member may restore.
    await this.tasks.removeOfChildren(familyIds);
    if (await this.tasks.hasAny(userId, familyIds)) {
      this.unitOfWork.afterCommit(() => this.jobs.trigger(CLEANUP_JOB));
      return { counts, isPending: true };
    }
    if (familyIds.length === 0) return { counts, isPending: false };
    if (await this.clouds.condemnBlobs(familyIds)) {
      this.unitOfWork.afterCommit(() => this.jobs.trigger(GARBAGE_COLLECTION_JOB));
      return { counts, isPending: true };
    }
    const rest = await this.clouds.deleteRest({ userId, familyIds, cids });
    return { counts: sumCounts(counts, rest), isPending: false };
  }
}
