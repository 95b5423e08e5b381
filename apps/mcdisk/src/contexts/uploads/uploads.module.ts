import { Module } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { BlobsModule } from '../blobs/blobs.module.js';
import { CatalogsModule } from '../catalogs/catalogs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { MediaModule } from '../media/media.module.js';
import { AnnouncementService } from './announcement.service.js';
import { Appending } from './appending.service.js';
import { KnownContentRepository } from './known-content.repository.js';
import { OnSessionEndedHandler } from './on-session-ended.handler.js';
import { acceptRawBodies } from './raw-body.js';
import { ReceptionService } from './reception.service.js';
import { RunningHashes } from './running-hashes.service.js';
import { SharedBytesRepository } from './shared-bytes.repository.js';
import { SharedBytes } from './shared-bytes.service.js';
import { TusController } from './tus.controller.js';
import { TusService } from './tus.service.js';
import { UploadCommitRepository } from './upload-commit.repository.js';
import { UploadCommit } from './upload-commit.service.js';
import { UploadDoor } from './upload-door.service.js';
import { UploadEnding } from './upload-ending.service.js';
import { UploadLeaseRepository } from './upload-lease.repository.js';
import { UploadLeases } from './upload-leases.service.js';
import { UploadRepository } from './upload.repository.js';
import { UploadService } from './upload.service.js';
import { UploadsController } from './uploads.controller.js';

/** Operations whose bodies are files or parts of them. */
const RAW_BODIES = ['putBlob', 'headUpload', 'patchUpload', 'deleteUpload', 'optionsUpload', 'createUpload'];

/** How files come into a cloud. */
@Module({
  imports: [BlobsModule, CatalogsModule, CloudsModule, MediaModule],
  controllers: [TusController, UploadsController],
  providers: [
    AnnouncementService,
    Appending,
    KnownContentRepository,
    OnSessionEndedHandler,
    ReceptionService,
    RunningHashes,
    SharedBytes,
    SharedBytesRepository,
    TusService,
    UploadCommit,
    UploadCommitRepository,
    UploadDoor,
    UploadEnding,
    UploadLeaseRepository,
    UploadLeases,
    UploadRepository,
    UploadService,
  ],
  exports: [UploadEnding, UploadRepository],
})
export class UploadsModule implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  onModuleInit(): void {
    acceptRawBodies(this.host.httpAdapter.getInstance(), RAW_BODIES);
  }
}
