import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { BlobDeletionService } from './blobs/blob-deletion.service.js';
import { BlobMetricsService } from './blobs/blob-metrics.service.js';
import { BlobRepository } from './blobs/blob.repository.js';
import { BlobStore } from './blobs/blob-store.js';
import { BlobStoreReadiness, createBlobStore } from './blobs/blob-store-provider.js';
import { GarbageCollectionService } from './garbage-collection/garbage-collection.service.js';
import { StoreIdentityRepository } from './garbage-collection/store-identity.repository.js';
import { StoreIdentityService } from './garbage-collection/store-identity.service.js';

/**
 * The bytes of contents: stores on local disk and in S3, the states of blobs, garbage collection, and the comparison
 * of files and database (`npm run operator -- fsck`).
 *
 * - Parts: `blobs/` (`local-disk/`, `s3/`), `fsck/`, `garbage-collection/`.
 * - Tables: `blob`, `store_mark`.
 * - Publishes: nothing.
 * - Needs: clouds.
 */
@Module({
  providers: [
    GarbageCollectionService,
    BlobRepository,
    BlobDeletionService,
    BlobMetricsService,
    BlobStoreReadiness,
    StoreIdentityRepository,
    StoreIdentityService,
    { provide: BlobStore, useFactory: createBlobStore, inject: [Environment] },
  ],
  exports: [BlobDeletionService, BlobRepository, BlobStore, GarbageCollectionService, StoreIdentityService],
})
export class StorageModule {}
