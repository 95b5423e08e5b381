import { Module } from '@nestjs/common';
import { BlobsModule } from '../blobs/blobs.module.js';
import { BlobCollector } from './blob-collector.service.js';
import { CollectorJob } from './collector.job.js';
import { CollectorRepository } from './collector.repository.js';
import { OrphanCollector } from './orphan-collector.service.js';
import { StoreMarkRepository } from './store-mark.repository.js';
import { StoreMarkService } from './store-mark.service.js';

/** The end of bytes that nothing refers to. */
@Module({
  imports: [BlobsModule],
  providers: [BlobCollector, CollectorJob, CollectorRepository, OrphanCollector, StoreMarkRepository, StoreMarkService],
  exports: [CollectorRepository, StoreMarkRepository, StoreMarkService],
})
export class CollectorModule {}
