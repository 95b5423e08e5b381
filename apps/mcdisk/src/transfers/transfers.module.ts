import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { CloudsModule } from '../clouds/clouds.module.js';
import { FilesModule } from '../files/files.module.js';
import { RenditionsModule } from '../renditions/renditions.module.js';
import { SharingModule } from '../sharing/sharing.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { BlobByteCache } from './downloads/blob-byte-cache.js';
import { DownloadService } from './downloads/download.service.js';
import { DownloadsController } from './downloads/downloads.controller.js';
import { FileOffload, FileResponse } from './downloads/file-response.js';
import { ReadableContentRepository } from './downloads/readable-content.repository.js';
import { ReadableContentService } from './downloads/readable-content.service.js';
import { StreamingResponseService } from './downloads/streaming-response.service.js';
import { LostBlobRepairService } from './uploads/lost-blob-repair.service.js';
import { PutUploadService } from './uploads/put-upload.service.js';
import { acceptRawBodies } from './uploads/raw-body.js';
import { TusController } from './uploads/tus.controller.js';
import { TusService } from './uploads/tus.service.js';
import { UploadAppendService } from './uploads/upload-append.service.js';
import { UploadCommitRepository } from './uploads/upload-commit.repository.js';
import { UploadCommitService } from './uploads/upload-commit.service.js';
import { UploadLeasesService } from './uploads/upload-leases.service.js';
import { UploadSessionService } from './uploads/upload-session.service.js';
import { UploadTerminationService } from './uploads/upload-termination.service.js';
import { UploadRepository } from './uploads/upload.repository.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UploadsEventHandlers } from './uploads/uploads.event-handlers.js';

/** Operations whose bodies are files or parts of files and are not parsed. */
const RAW_BODY_OPERATIONS = [
  'putBlob',
  'headUpload',
  'patchUpload',
  'deleteUpload',
  'optionsUpload',
  'createUpload',
  'putFirmwareImage',
];

/**
 * Bytes in and out: uploads by PUT or tus under a lease, and downloads by signed URL, from mcdisk or from nginx.
 *
 * - Parts: `downloads/`, `uploads/`.
 * - Tables: `upload`.
 * - Publishes: `mcdisk.content.added`.
 * - Needs: clouds, storage, renditions, sharing, files.
 */
@Module({
  imports: [CloudsModule, FilesModule, RenditionsModule, SharingModule, StorageModule],
  controllers: [TusController, UploadsController, DownloadsController],
  providers: [
    UploadSessionService,
    UploadAppendService,
    UploadCommitRepository,
    UploadsEventHandlers,
    PutUploadService,
    LostBlobRepairService,
    TusService,
    UploadCommitService,
    UploadTerminationService,
    UploadRepository,
    UploadLeasesService,
    DownloadService,
    BlobByteCache,
    FileResponse,
    FileOffload,
    StreamingResponseService,
    ReadableContentRepository,
    ReadableContentService,
  ],
  exports: [UploadTerminationService, FileResponse],
})
export class TransfersModule implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  onModuleInit(): void {
    acceptRawBodies(this.host.httpAdapter.getInstance(), RAW_BODY_OPERATIONS);
  }
}
