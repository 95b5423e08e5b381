import { Module } from '@nestjs/common';
import { FoldersModule } from './folders/folders.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { SignedUrlsModule } from '../downloads/signed-urls/signed-urls.module.js';
import { MediaModule } from '../renditions/renditions.module.js';
import { SharingModule } from '../sharing/sharing.module.js';
import { ContentListService } from './contents/content-list.service.js';
import { ContentListingRepository } from './contents/content-listing.repository.js';
import { ContentPresenterService } from './contents/content-presenter.service.js';
import { ContentRepository } from './contents/content.repository.js';
import { ContentStateRepository } from './contents/content-state.repository.js';
import { ContentSourceRepository } from './contents/content-source.repository.js';
import { ContentService } from './contents/content.service.js';
import { ContentsController } from './contents/contents.controller.js';
import { ContentDeletionService } from './contents/content-deletion.service.js';
import { TicketVerifier } from './contents/ticket-verifier.js';

/** Files of family clouds: list, get, modify and delete. */
@Module({
  imports: [FoldersModule, CloudsModule, SignedUrlsModule, MediaModule, SharingModule],
  controllers: [ContentsController],
  providers: [
    ContentListService,
    ContentListingRepository,
    ContentPresenterService,
    ContentRepository,
    ContentStateRepository,
    ContentService,
    ContentSourceRepository,
    ContentDeletionService,
    TicketVerifier,
  ],
  exports: [ContentPresenterService, ContentRepository, ContentStateRepository, ContentDeletionService],
})
export class ContentsModule {}
