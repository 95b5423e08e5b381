import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { CleanupService } from './cleanup.service.js';
import { CleanupDataRepository } from './cleanup-data.repository.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { CleanupEventHandlers } from './cleanup.event-handlers.js';

/** Cleanup of a cloud when a member leaves, a child or account is erased, or the family is dissolved. */
@Module({
  imports: [FilesModule, UploadsModule],
  providers: [CleanupService, CleanupDataRepository, CleanupTaskRepository, CleanupEventHandlers],
})
export class CleanupModule {}
