import { Module } from '@nestjs/common';
import { StorageModule } from '../storage/storage.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { RenditionsModule } from '../renditions/renditions.module.js';
import { SharingModule } from '../sharing/sharing.module.js';
import { DownloadService } from './download.service.js';
import { BlobByteCache } from './blob-byte-cache.js';
import { DownloadsController } from './downloads.controller.js';
import { FileOffload, FileResponse } from './file-response.js';
import { StreamingResponseService } from './streaming-response.service.js';
import { ReadableContentRepository } from './readable-content.repository.js';
import { ReadableContentService } from './readable-content.service.js';
import { UrlSigningKeyRepository } from './signed-urls/url-signing-key.repository.js';
import { UrlSigningKeysService } from './signed-urls/url-signing-keys.service.js';
import { SignedUrlService } from './signed-urls/signed-url.service.js';

/** Signed URLs, and downloads of files by signed URL. */
@Module({
  imports: [StorageModule, CloudsModule, RenditionsModule, SharingModule],
  controllers: [DownloadsController],
  providers: [
    DownloadService,
    BlobByteCache,
    FileResponse,
    FileOffload,
    StreamingResponseService,
    ReadableContentRepository,
    ReadableContentService,
    SignedUrlService,
    UrlSigningKeyRepository,
    UrlSigningKeysService,
  ],
  exports: [FileResponse, SignedUrlService],
})
export class DownloadsModule {}
