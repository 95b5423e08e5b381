import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { FilesModule } from '../files/files.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TransfersModule } from '../transfers/transfers.module.js';
import { ArchiveAssemblerService } from './data-exports/archive-assembler.service.js';
import { ArchiveDownloadService } from './data-exports/archive-download.service.js';
import { DataExportsController } from './data-exports/data-exports.controller.js';
import { DataExportsEventHandlers } from './data-exports/data-exports.event-handlers.js';
import { ExportArchiveRepository } from './data-exports/export-archive.repository.js';
import { ExportArchivesService } from './data-exports/export-archives.service.js';
import { FirmwareImageRepository } from './firmware-images/firmware-image.repository.js';
import { FirmwareImagesService } from './firmware-images/firmware-images.service.js';
import { FirmwareController } from './firmware-images/firmware.controller.js';
import { FirmwareEventHandlers } from './firmware-images/firmware.event-handlers.js';

/**
 * Bytes that belong to no family cloud: the archives of exports and the images of firmware, both for userctx.
 *
 * - Parts: `data-exports/`, `firmware-images/`.
 * - Tables: `export_archive`, `firmware_image`.
 * - Publishes: `mcdisk.data-export.progressed`, `mcdisk.firmware-image.stored`.
 * - Needs: clouds, storage, files, transfers.
 */
@Module({
  imports: [CloudsModule, FilesModule, StorageModule, TransfersModule],
  controllers: [DataExportsController, FirmwareController],
  providers: [
    ArchiveAssemblerService,
    ArchiveDownloadService,
    DataExportsEventHandlers,
    ExportArchiveRepository,
    ExportArchivesService,
    FirmwareEventHandlers,
    FirmwareImageRepository,
    FirmwareImagesService,
  ],
  exports: [ExportArchivesService],
})
export class ArchivesModule {}
