import { Module } from '@nestjs/common';
import { BlobsModule } from '../blobs/blobs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { ContentsModule } from '../contents/contents.module.js';
import { DownloadLinkRepository } from './download-link.repository.js';
import { DownloadService } from './download.service.js';
import { DownloadsController } from './downloads.controller.js';

/** How files come out of a cloud. */
@Module({
  imports: [BlobsModule, CloudsModule, ContentsModule],
  controllers: [DownloadsController],
  providers: [DownloadLinkRepository, DownloadService],
  exports: [DownloadLinkRepository],
})
export class DownloadsModule {}
