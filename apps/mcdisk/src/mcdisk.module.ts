import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { CloudsModule } from './contexts/clouds/clouds.module.js';
import { ContentsModule } from './contexts/contents/contents.module.js';
import { DownloadsModule } from './contexts/downloads/downloads.module.js';
import { HousekeepingModule } from './contexts/housekeeping/housekeeping.module.js';
import { UploadsModule } from './contexts/uploads/uploads.module.js';
import { McdiskInfrastructureModule } from './infrastructure/mcdisk-infrastructure.module.js';
import type { McdiskParts } from './infrastructure/mcdisk-infrastructure.module.js';

/** The family cloud: files, links to them, and what is left over. */
@Module({})
export class McdiskModule {
  static create(parts: McdiskParts): DynamicModule {
    return {
      module: McdiskModule,
      imports: [
        McdiskInfrastructureModule.create(parts),
        CloudsModule,
        ContentsModule,
        UploadsModule,
        DownloadsModule,
        HousekeepingModule,
      ],
    };
  }
}
