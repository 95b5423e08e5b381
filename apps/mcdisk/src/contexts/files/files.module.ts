import { Module } from '@nestjs/common';
import { DownloadsModule } from '../downloads/downloads.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { SharingModule } from '../sharing/sharing.module.js';
import { ContentService } from './contents/content.service.js';
import { ContentRepository } from './contents/content.repository.js';
import { ContentPresenterService } from './contents/content-presenter.service.js';
import { ContentsController } from './contents/contents.controller.js';
import { ContentDeletionService } from './contents/content-deletion.service.js';
import { TicketVerifier } from './contents/ticket-verifier.js';
import { FolderRepository } from './folders/folder.repository.js';
import { FolderService } from './folders/folder.service.js';
import { FolderTreeService } from './folders/folder-tree.service.js';
import { FoldersController } from './folders/folders.controller.js';
import { AlbumRepository } from './albums/album.repository.js';
import { AlbumService } from './albums/album.service.js';
import { AlbumsController } from './albums/albums.controller.js';
import { AlbumsEventHandlers } from './albums/albums.event-handlers.js';
import { RecycleBinRepository } from './recycle-bin/recycle-bin.repository.js';
import { RecycleBinService } from './recycle-bin/recycle-bin.service.js';
import { RecycleBinController } from './recycle-bin/recycle-bin.controller.js';

/** Contents, folders, albums and recycle bins of family clouds. */
@Module({
  imports: [CloudsModule, DownloadsModule, SharingModule, StorageModule],
  controllers: [ContentsController, FoldersController, AlbumsController, RecycleBinController],
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
  ],
  exports: [
    AlbumRepository,
    ContentDeletionService,
    ContentRepository,
    FolderService,
    FolderRepository,
    FolderTreeService,
    RecycleBinRepository,
  ],
})
export class FilesModule {}
