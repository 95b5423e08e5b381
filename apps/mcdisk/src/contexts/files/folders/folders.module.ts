import { Module } from '@nestjs/common';
import { CloudsModule } from '../../clouds/clouds.module.js';
import { FolderListingRepository } from './folder-listing.repository.js';
import { FolderLookupService } from './folder-lookup.service.js';
import { FolderTreeService } from './folder-tree.service.js';
import { FolderRepository } from './folder.repository.js';
import { FolderService } from './folder.service.js';
import { FoldersController } from './folders.controller.js';

/** Folders of family clouds. */
@Module({
  imports: [CloudsModule],
  controllers: [FoldersController],
  providers: [FolderListingRepository, FolderLookupService, FolderRepository, FolderService, FolderTreeService],
  exports: [FolderListingRepository, FolderLookupService, FolderRepository, FolderTreeService],
})
export class FoldersModule {}
