import { Module } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { StorageModule } from '../storage/storage.module.js';
import { FilesModule } from '../files/files.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { RenditionsModule } from '../renditions/renditions.module.js';
import { UploadSessionService } from './upload-session.service.js';
import { UploadAppendService } from './upload-append.service.js';
import { UploadCommitRepository } from './upload-commit.repository.js';
import { UploadsEventHandlers } from './uploads.event-handlers.js';
import { acceptRawBodies } from './raw-body.js';
import { PutUploadService } from './put-upload.service.js';
import { LostBlobRepairService } from './lost-blob-repair.service.js';
import { TusController } from './tus.controller.js';
import { TusService } from './tus.service.js';
import { UploadCommitService } from './upload-commit.service.js';
import { UploadTerminationService } from './upload-termination.service.js';
import { UploadRepository } from './upload.repository.js';
import { UploadLeasesService } from './upload-leases.service.js';
import { UploadsController } from './uploads.controller.js';

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

/** Uploads of files into a family cloud, by PUT or tus. */
@Module({
  imports: [CloudsModule, FilesModule, RenditionsModule, StorageModule],
  controllers: [TusController, UploadsController],
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
  ],
  exports: [UploadTerminationService],
})
export class UploadsModule implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  onModuleInit(): void {
    acceptRawBodies(this.host.httpAdapter.getInstance(), RAW_BODY_OPERATIONS);
  }
}
