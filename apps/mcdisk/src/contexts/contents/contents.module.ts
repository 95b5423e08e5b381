import { Module } from '@nestjs/common';
import { CatalogsModule } from '../catalogs/catalogs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { LinksModule } from '../links/links.module.js';
import { MediaModule } from '../media/media.module.js';
import { SharingModule } from '../sharing/sharing.module.js';
import { ContentListService } from './content-list.service.js';
import { ContentListingRepository } from './content-listing.repository.js';
import { ContentPresenter } from './content-presenter.service.js';
import { ContentRepository } from './content.repository.js';
import { ContentStateRepository } from './content-state.repository.js';
import { ContentService } from './content.service.js';
import { ContentsController } from './contents.controller.js';
import { DeletionService } from './deletion.service.js';
import { TicketVerifier } from './ticket-verifier.js';

/** Files of the families' clouds: listing and deleting. */
@Module({
  imports: [CatalogsModule, CloudsModule, LinksModule, MediaModule, SharingModule],
  controllers: [ContentsController],
  providers: [
    ContentListService,
    ContentListingRepository,
    ContentPresenter,
    ContentRepository,
    ContentStateRepository,
    ContentService,
    DeletionService,
    TicketVerifier,
  ],
  exports: [ContentPresenter, ContentRepository, ContentStateRepository, DeletionService],
})
export class ContentsModule {}
