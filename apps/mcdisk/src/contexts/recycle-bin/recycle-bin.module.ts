import { Module } from '@nestjs/common';
import { BlobsModule } from '../blobs/blobs.module.js';
import { CatalogsModule } from '../catalogs/catalogs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { ContentsModule } from '../contents/contents.module.js';
import { BinEmptyingJob } from './bin-emptying.job.js';
import { BinEmptyingRepository } from './bin-emptying.repository.js';
import { BinExpiryJob } from './bin-expiry.job.js';
import { PurgeService } from './purge.service.js';
import { PurgingService } from './purging.service.js';
import { RecycleBinController } from './recycle-bin.controller.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';
import { RecycleBinService } from './recycle-bin.service.js';

/** Between deleting and oblivion: taken back, let go, or over after 30 days. */
@Module({
  imports: [BlobsModule, CatalogsModule, CloudsModule, ContentsModule],
  controllers: [RecycleBinController],
  providers: [
    BinEmptyingJob,
    BinEmptyingRepository,
    BinExpiryJob,
    PurgeService,
    PurgingService,
    RecycleBinRepository,
    RecycleBinService,
  ],
  exports: [PurgingService, RecycleBinRepository],
})
export class RecycleBinModule {}
