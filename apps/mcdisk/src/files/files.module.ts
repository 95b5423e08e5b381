import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { SharingModule } from '../sharing/sharing.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { AlbumRepository } from './albums/album.repository.js';
import { AlbumService } from './albums/album.service.js';
import { AlbumsController } from './albums/albums.controller.js';
import { AlbumsEventHandlers } from './albums/albums.event-handlers.js';
import { BatchContentRepository } from './batch-tasks/batch-content.repository.js';
import { BatchPlannerService } from './batch-tasks/batch-planner.service.js';
import { BatchRunnerService } from './batch-tasks/batch-runner.service.js';
import { BatchTaskRepository } from './batch-tasks/batch-task.repository.js';
import { BatchTaskService } from './batch-tasks/batch-task.service.js';
import { BatchTasksController } from './batch-tasks/batch-tasks.controller.js';
import { CopyOperationService, DeleteOperationService, MoveOperationService } from './batch-tasks/batch-operations.js';
import { ContentDeletionService } from './contents/content-deletion.service.js';
import { ContentPresenterService } from './contents/content-presenter.service.js';
import { ContentRepository } from './contents/content.repository.js';
import { ContentService } from './contents/content.service.js';
import { ContentsController } from './contents/contents.controller.js';
import { TicketVerifier } from './contents/ticket-verifier.js';
import { FolderTreeService } from './folders/folder-tree.service.js';
import { FolderRepository } from './folders/folder.repository.js';
import { FolderService } from './folders/folder.service.js';
import { FoldersController } from './folders/folders.controller.js';
import { RecycleBinController } from './recycle-bin/recycle-bin.controller.js';
import { RecycleBinRepository } from './recycle-bin/recycle-bin.repository.js';
import { RecycleBinService } from './recycle-bin/recycle-bin.service.js';

/**
 * The contents of a family cloud: files and folders, albums, the recycle bin, and batch tasks that copy, delete or
 * move many of them.
 *
 * - Parts: `albums/`, `batch-tasks/`, `contents/`, `folders/`, `recycle-bin/`.
 * - Tables: `album`, `album_content`, `album_count`, `batch_task`, `batch_task_folder`, `bin_emptying`, `catalog`,
 *   `content`.
 * - Publishes: `mcdisk.batch-task.changed`, `mcdisk.content.added`, `mcdisk.content.purged`,
 *   `mcdisk.content.recycled`, `mcdisk.content.restored`.
 * - Needs: clouds, storage, sharing.
 */
@Module({
  imports: [CloudsModule, SharingModule, StorageModule],
  controllers: [ContentsController, FoldersController, AlbumsController, RecycleBinController, BatchTasksController],
  providers: [
    ContentService,
    ContentRepository,
    ContentPresenterService,
    ContentDeletionService,
    TicketVerifier,
    FolderRepository,
    FolderService,
    FolderTreeService,
    AlbumRepository,
    AlbumService,
    AlbumsEventHandlers,
    RecycleBinRepository,
    RecycleBinService,
    BatchTaskRepository,
    BatchContentRepository,
    BatchPlannerService,
    CopyOperationService,
    DeleteOperationService,
    MoveOperationService,
    BatchRunnerService,
    BatchTaskService,
  ],
  exports: [AlbumRepository, ContentDeletionService, ContentRepository, FolderService, RecycleBinRepository],
})
export class FilesModule {}
