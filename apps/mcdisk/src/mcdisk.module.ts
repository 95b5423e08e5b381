import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { AlbumsModule } from './contexts/files/albums/albums.module.js';
import { BatchTasksModule } from './contexts/batch-tasks/batch-tasks.module.js';
import { FoldersModule } from './contexts/files/folders/folders.module.js';
import { GarbageCollectionModule } from './contexts/storage/garbage-collection/garbage-collection.module.js';
import { CloudsModule } from './contexts/clouds/clouds.module.js';
import { ContentsModule } from './contexts/files/files.module.js';
import { DownloadsModule } from './contexts/downloads/downloads.module.js';
import { CleanupModule } from './contexts/cleanup/cleanup.module.js';
import { MediaModule } from './contexts/renditions/renditions.module.js';
import { RecycleBinModule } from './contexts/files/recycle-bin/recycle-bin.module.js';
import { SharingModule } from './contexts/sharing/sharing.module.js';
import { UploadsModule } from './contexts/uploads/uploads.module.js';
import { mcdiskInfrastructure } from './infrastructure/mcdisk-infrastructure.js';
import type { McdiskDependencies } from './infrastructure/mcdisk-infrastructure.js';

/** All contexts of the family cloud. */
const MCDISK_CONTEXTS = [
  CloudsModule,
  FoldersModule,
  ContentsModule,
  UploadsModule,
  DownloadsModule,
  SharingModule,
  AlbumsModule,
  BatchTasksModule,
  GarbageCollectionModule,
  CleanupModule,
  RecycleBinModule,
  MediaModule,
];

/** The family cloud: files, folders, albums, shares and their maintenance. */
@Module({})
export class McdiskModule {
  static forRoot(dependencies: McdiskDependencies): DynamicModule {
    return {
      module: McdiskModule,
      imports: [mcdiskInfrastructure(dependencies), ...MCDISK_CONTEXTS],
    };
  }
}
