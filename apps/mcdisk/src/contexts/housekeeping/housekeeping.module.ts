import { Module } from '@nestjs/common';
import { BlobsModule } from '../blobs/blobs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { CollectorModule } from '../collector/collector.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { JanitorJob } from './janitor.job.js';

/** What runs without being asked. */
@Module({
  imports: [BlobsModule, CloudsModule, CollectorModule, UploadsModule],
  providers: [JanitorJob],
})
export class HousekeepingModule {}
