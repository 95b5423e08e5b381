import { Module } from '@nestjs/common';
import { BlobsModule } from '../storage.module.js';
import { BlobGarbageCollectorService } from './blob-garbage-collector.service.js';
import { GarbageCollectionService } from './garbage-collection.service.js';
import { GarbageCollectionRepository } from './garbage-collection.repository.js';
import { OrphanCollectorService } from './orphan-collector.service.js';
import { StoreIdentityRepository } from './store-identity.repository.js';
import { StoreIdentityService } from './store-identity.service.js';

/** Garbage collection of unreferenced blobs, and verification of the store's identity. */
@Module({
  imports: [BlobsModule],
  providers: [
    BlobGarbageCollectorService,
    GarbageCollectionService,
    GarbageCollectionRepository,
    OrphanCollectorService,
    StoreIdentityRepository,
    StoreIdentityService,
  ],
  exports: [GarbageCollectionRepository, StoreIdentityRepository, StoreIdentityService],
})
export class GarbageCollectionModule {}
