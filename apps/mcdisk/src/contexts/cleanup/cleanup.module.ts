import { Module } from '@nestjs/common';
import { DataExportsModule } from '../data-exports/data-exports.module.js';
import { FilesModule } from '../files/files.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { CleanupService } from './cleanup.service.js';
import { CleanupDataRepository } from './cleanup-data.repository.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { CleanupEventHandlers } from './cleanup.event-handlers.js';
import { ErasedCloudRepository } from './erased-cloud.repository.js';
import { McdiskAccountErasure } from './mcdisk-account-erasure.service.js';

/** Cleanup of a cloud when a member leaves, a child or account is erased, or the family is dissolved. */
@Module({
  imports: [DataExportsModule, FilesModule, UploadsModule],
  providers: [
    CleanupService,
    CleanupDataRepository,
    CleanupTaskRepository,
    CleanupEventHandlers,
    ErasedCloudRepository,
    McdiskAccountErasure,
  ],
})
export class CleanupModule {}
