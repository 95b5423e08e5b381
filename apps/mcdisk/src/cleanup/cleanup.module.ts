import { Module } from '@nestjs/common';
import { ArchivesModule } from '../archives/archives.module.js';
import { FilesModule } from '../files/files.module.js';
import { TransfersModule } from '../transfers/transfers.module.js';
import { CleanupService } from './cleanup.service.js';
import { CleanupDataRepository } from './cleanup-data.repository.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { CleanupEventHandlers } from './cleanup.event-handlers.js';
import { ErasedCloudRepository } from './erased-cloud.repository.js';
import { McdiskAccountErasure } from './mcdisk-account-erasure.service.js';

/**
 * Cleanup of a cloud when a member leaves, a child or account is erased, or the family is dissolved. The room stands
 * above all others because it deletes in all of them.
 *
 * - Tables: none.
 * - Publishes: nothing.
 * - Needs: clouds, storage, files, transfers, archives.
 */
@Module({
  imports: [ArchivesModule, FilesModule, TransfersModule],
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
