import { Module } from '@nestjs/common';
import { BlobsModule } from '../storage/storage.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { SignedUrlsModule } from './signed-urls/signed-urls.module.js';
import { MediaModule } from '../renditions/renditions.module.js';
import { SharingModule } from '../sharing/sharing.module.js';
import { ReadAccessService } from './read-access.service.js';
import { BlobByteCache } from './blob-byte-cache.js';
import { DownloadService } from './download.service.js';
import { DownloadsController } from './downloads.controller.js';
import { FileResponse, FileOffload } from './file-response.js';
import { StreamingResponseService } from './streaming-response.service.js';
import { ReadableContentRepository } from './readable-content.repository.js';
import { ReadableContentService } from './readable-content.service.js';

/** Downloads of files by signed URL. */
@Module({
  imports: [BlobsModule, CloudsModule, SignedUrlsModule, MediaModule, SharingModule],
  controllers: [DownloadsController],
  providers: [
    ReadAccessService,
    BlobByteCache,
    DownloadService,
    FileResponse,
    FileOffload,
    StreamingResponseService,
    ReadableContentRepository,
    ReadableContentService,
  ],
})
export class DownloadsModule {}
