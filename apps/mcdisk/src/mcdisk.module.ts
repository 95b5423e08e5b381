import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { CloudsModule } from './contexts/clouds/clouds.module.js';
import { StorageModule } from './contexts/storage/storage.module.js';
import { RenditionsModule } from './contexts/renditions/renditions.module.js';
import { SharingModule } from './contexts/sharing/sharing.module.js';
import { DownloadsModule } from './contexts/downloads/downloads.module.js';
import { FilesModule } from './contexts/files/files.module.js';
import { UploadsModule } from './contexts/uploads/uploads.module.js';
import { BatchTasksModule } from './contexts/batch-tasks/batch-tasks.module.js';
import { CleanupModule } from './contexts/cleanup/cleanup.module.js';
import { DataExportsModule } from './contexts/data-exports/data-exports.module.js';
import { FirmwareModule } from './contexts/firmware/firmware.module.js';
import { mcdiskInfrastructure } from './infrastructure/mcdisk-infrastructure.js';
import type { McdiskDependencies } from './infrastructure/mcdisk-infrastructure.js';

/** All contexts of mcdisk. Each context imports only contexts that precede it in this list. */
const MCDISK_CONTEXTS = [
  CloudsModule,
  StorageModule,
  RenditionsModule,
  SharingModule,
  DownloadsModule,
  FilesModule,
  UploadsModule,
  BatchTasksModule,
  CleanupModule,
  FirmwareModule,
  DataExportsModule,
];

/** The family cloud: files, folders, albums, shares and their maintenance. Also stores firmware images and archives of exports. */
@Module({})
export class McdiskModule {
  static forRoot(dependencies: McdiskDependencies): DynamicModule {
    return {
      module: McdiskModule,
      imports: [mcdiskInfrastructure(dependencies), ...MCDISK_CONTEXTS],
    };
  }
}
