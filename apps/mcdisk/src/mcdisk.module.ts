import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { AlbumsModule } from './contexts/albums/albums.module.js';
import { BatchTasksModule } from './contexts/batch-tasks/batch-tasks.module.js';
import { CatalogsModule } from './contexts/catalogs/catalogs.module.js';
import { CollectorModule } from './contexts/collector/collector.module.js';
import { CloudsModule } from './contexts/clouds/clouds.module.js';
import { ContentsModule } from './contexts/contents/contents.module.js';
import { DownloadsModule } from './contexts/downloads/downloads.module.js';
import { EndingsModule } from './contexts/endings/endings.module.js';
import { HousekeepingModule } from './contexts/housekeeping/housekeeping.module.js';
import { MediaModule } from './contexts/media/media.module.js';
import { RecycleBinModule } from './contexts/recycle-bin/recycle-bin.module.js';
import { SharingModule } from './contexts/sharing/sharing.module.js';
import { UploadsModule } from './contexts/uploads/uploads.module.js';
import { McdiskInfrastructureModule } from './infrastructure/mcdisk-infrastructure.module.js';
import type { McdiskParts } from './infrastructure/mcdisk-infrastructure.module.js';

/** Every context of the family cloud. */
const MCDISK_CONTEXTS = [
  CloudsModule,
  CatalogsModule,
  ContentsModule,
  UploadsModule,
  DownloadsModule,
  SharingModule,
  AlbumsModule,
  BatchTasksModule,
  HousekeepingModule,
  CollectorModule,
  EndingsModule,
  RecycleBinModule,
  MediaModule,
];

/** The family cloud: files, links to them, and what is left over. */
@Module({})
export class McdiskModule {
  static create(parts: McdiskParts): DynamicModule {
    return {
      module: McdiskModule,
      imports: [McdiskInfrastructureModule.create(parts), ...MCDISK_CONTEXTS],
    };
  }
}
