import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { AccountCleanupService } from './account-cleanup.service.js';
import { ChildCleanupService } from './child-cleanup.service.js';
import { CloudCleanupRepository } from './cloud-cleanup.repository.js';
import { ContentCleanupRepository } from './content-cleanup.repository.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { CleanupService } from './cleanup.service.js';
import { FamilyCleanupService } from './family-cleanup.service.js';
import { CleanupEventHandlers } from './cleanup.event-handlers.js';

/** Cleanup of a cloud when a member leaves, a child or account is erased, or the family is dissolved. */
@Module({
  imports: [FilesModule, UploadsModule],
  providers: [
    AccountCleanupService,
    ChildCleanupService,
    CloudCleanupRepository,
    ContentCleanupRepository,
    CleanupTaskRepository,
    CleanupService,
    CleanupEventHandlers,
    FamilyCleanupService,
  ],
})
export class CleanupModule {}
