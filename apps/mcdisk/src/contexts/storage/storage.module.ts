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

/** Stores the bytes of contents and the states of blobs, and deletes blobs that are not referenced any more. */
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
