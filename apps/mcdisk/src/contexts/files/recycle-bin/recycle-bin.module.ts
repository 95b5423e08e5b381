import { Module } from '@nestjs/common';
import { BlobsModule } from '../../storage/storage.module.js';
import { FoldersModule } from '../folders/folders.module.js';
import { CloudsModule } from '../../clouds/clouds.module.js';
import { ContentsModule } from '../files.module.js';
import { RecycleBinEmptyingRepository } from './recycle-bin-emptying.repository.js';
import { RecycleBinPurgeService } from './recycle-bin-purge.service.js';
import { ContentPurgeService } from './content-purge.service.js';
import { RecycleBinController } from './recycle-bin.controller.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';
import { RecycleBinService } from './recycle-bin.service.js';

/** Recycle bin: list, restore and purge deleted contents; they expire after 30 days. */
@Module({
  imports: [BlobsModule, FoldersModule, CloudsModule, ContentsModule],
  controllers: [RecycleBinController],
  providers: [
    RecycleBinEmptyingRepository,
    RecycleBinPurgeService,
    ContentPurgeService,
    RecycleBinRepository,
    RecycleBinService,
  ],
  exports: [ContentPurgeService, RecycleBinRepository],
})
export class RecycleBinModule {}
