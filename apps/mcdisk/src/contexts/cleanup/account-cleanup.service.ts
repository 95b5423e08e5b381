import { Injectable } from '@nestjs/common';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { UploadTerminationService } from '../uploads/upload-termination.service.js';
import { ContentCleanupRepository } from './content-cleanup.repository.js';
import { CLEANUP_STATE } from './cleanup-task.js';
import type { CleanupTask, NextCleanupStep } from './cleanup-task.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { PersonReferenceRepository } from './person-reference.repository.js';

const { WAITING, FORGETTING } = CLEANUP_STATE;

/** What somebody added stays the family's; that it was they who added it is forgotten. */
@Injectable()
export class AccountCleanupService {
  constructor(
    private readonly endings: CleanupTaskRepository,
    private readonly contents: ContentCleanupRepository,
    private readonly columns: PersonReferenceRepository,
    private readonly uploads: UploadTerminationService,
  ) {}

  async step(ending: CleanupTask, now: number): Promise<NextCleanupStep | undefined> {
    if (ending.state === WAITING) {
      const principal: PrincipalKey = `user:${ending.subject}`;
      await this.columns.anonymize(principal);
      const open = await this.endings.findUploadsOf(principal);
      await this.columns.anonymizeUploads(principal);
      await this.uploads.terminate(open, UPLOAD_STATE.ABORTED);
      return { state: FORGETTING, cursor: null, dueAt: now };
    }
    const cursor = await this.contents.cleanPage(ending);
    return cursor === undefined ? undefined : { state: FORGETTING, cursor, dueAt: now };
  }
}
