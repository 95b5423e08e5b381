import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { DownloadsModule } from '../downloads/downloads.module.js';
import { FilesModule } from '../files/files.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { ArchiveAssemblerService } from './archive-assembler.service.js';
import { ArchiveDownloadService } from './archive-download.service.js';
import { DataExportsController } from './data-exports.controller.js';
import { DataExportsEventHandlers } from './data-exports.event-handlers.js';
import { ExportArchiveRepository } from './export-archive.repository.js';
import { ExportArchivesService } from './export-archives.service.js';

/** The archives of the exports of userctx. */
@Module({
  imports: [CloudsModule, DownloadsModule, FilesModule, StorageModule],
  controllers: [DataExportsController],
  providers: [
    ArchiveAssemblerService,
    ArchiveDownloadService,
    DataExportsEventHandlers,
    ExportArchiveRepository,
    ExportArchivesService,
  ],
  exports: [ExportArchivesService],
})
export class DataExportsModule {}
