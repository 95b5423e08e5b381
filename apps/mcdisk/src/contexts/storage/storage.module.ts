import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { CloudsModule } from '../clouds/clouds.module.js';
import { BlobDeletionService } from './blobs/blob-deletion.service.js';
import { BlobRepository } from './blobs/blob.repository.js';
import { BlobStore } from './blobs/blob-store.js';
import { BlobStoreReadiness } from './blobs/blob-store-readiness.js';
import { UrlHolderService } from '../clouds/url-holder.service.js';
import { createBlobStore } from './blobs/create-blob-store.js';

/** Stores the bytes of contents and the states of blobs. */
@Module({
  imports: [CloudsModule],
  providers: [
    BlobRepository,
    BlobDeletionService,
    BlobStoreReadiness,
    UrlHolderService,
    RequestLimiter,
    {
      provide: BlobStore,
      useFactory: createBlobStore,
      inject: [Environment],
    },
  ],
  exports: [BlobDeletionService, BlobRepository, BlobStore, RequestLimiter, UrlHolderService],
})
export class BlobsModule {}
