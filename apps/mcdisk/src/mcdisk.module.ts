import { Module, type DynamicModule } from '@nestjs/common';
import { CloudsModule } from './clouds/clouds.module.js';
import { StorageModule } from './storage/storage.module.js';
import { RenditionsModule } from './renditions/renditions.module.js';
import { SharingModule } from './sharing/sharing.module.js';
import { TransfersModule } from './transfers/transfers.module.js';
import { FilesModule } from './files/files.module.js';
import { CleanupModule } from './cleanup/cleanup.module.js';
import { ArchivesModule } from './archives/archives.module.js';
import { mcdiskInfrastructure, type McdiskDependencies } from './infrastructure/mcdisk-infrastructure.js';

/** All rooms of mcdisk. Each room imports only rooms that precede it in this list. */
const MCDISK_ROOMS = [
  CloudsModule,
  StorageModule,
  RenditionsModule,
  SharingModule,
  FilesModule,
  TransfersModule,
  ArchivesModule,
  CleanupModule,
];

/** The family cloud: files, folders, albums, shares and their maintenance. Also stores firmware images and archives of exports. */
@Module({})
export class McdiskModule {
  static forRoot(dependencies: McdiskDependencies): DynamicModule {
    return {
      module: McdiskModule,
      imports: [mcdiskInfrastructure(dependencies), ...MCDISK_ROOMS],
    };
  }
}
