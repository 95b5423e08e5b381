import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { CloudsModule } from '../clouds/clouds.module.js';
import { BlobDisposalService } from './blob-disposal.service.js';
import { BlobRepository } from './blob.repository.js';
import { BlobStore } from './blob-store.js';
import { LinkHolderService } from './link-holder.service.js';
import { openBlobStore } from './open-blob-store.js';

/** Where the bytes are. */
@Module({
  imports: [CloudsModule],
  providers: [
    BlobRepository,
    BlobDisposalService,
    LinkHolderService,
    {
      provide: BlobStore,
      useFactory: openBlobStore,
      inject: [Environment],
    },
  ],
  exports: [BlobDisposalService, BlobRepository, BlobStore, LinkHolderService],
})
export class BlobsModule {}
