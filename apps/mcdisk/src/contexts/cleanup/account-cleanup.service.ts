import { Injectable } from '@nestjs/common';
import { CLEANUP_STATE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { UploadTerminationService } from '../uploads/upload-termination.service.js';
import { CloudCleanupRepository } from './cloud-cleanup.repository.js';
import { ContentCleanupRepository } from './content-cleanup.repository.js';
import type { NextCleanupStep } from './cleanup-task.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';

const { WAITING, FORGETTING } = CLEANUP_STATE;

/** Anonymizes the data of an erased account. Contents that the person added stay with the family. */
@Injectable()
export class AccountCleanupService {
  constructor(
    private readonly tasks: CleanupTaskRepository,
    private readonly contents: ContentCleanupRepository,
    private readonly clouds: CloudCleanupRepository,
    private readonly uploads: UploadTerminationService,
  ) {}

  async step(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    if (task.state === WAITING) {
      const principal: PrincipalKey = `user:${task.subject}`;
      await this.clouds.anonymize(principal);
      const uploadIds = await this.tasks.findUploadsOf(principal);
      await this.clouds.anonymizeUploads(principal);
      await this.uploads.terminate(uploadIds, UPLOAD_STATE.ABORTED);
      return { state: FORGETTING, cursor: null, dueAt: now };
    }
    const cursor = await this.contents.cleanPage(task);
    return cursor === undefined ? undefined : { state: FORGETTING, cursor, dueAt: now };
  }
}
