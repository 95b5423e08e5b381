import { Module } from '@nestjs/common';
import { BlobsModule } from '../blobs/blobs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { GarbageCollectionModule } from '../garbage-collection/garbage-collection.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { UploadExpiryJob } from './upload-expiry.job.js';

/** Scheduled cleanup of expired uploads and abandoned blobs. */
@Module({
  imports: [BlobsModule, CloudsModule, GarbageCollectionModule, UploadsModule],
  providers: [UploadExpiryJob],
})
export class HousekeepingModule {}
