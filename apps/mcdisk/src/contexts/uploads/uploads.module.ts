import { Module } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { BlobsModule } from '../blobs/blobs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { ContentsModule } from '../contents/contents.module.js';
import { acceptRawBodies } from './raw-body.js';
import { ReceptionService } from './reception.service.js';
import { UploadRepository } from './upload.repository.js';
import { UploadService } from './upload.service.js';
import { UploadsController } from './uploads.controller.js';

/** How files come into a cloud. */
@Module({
  imports: [BlobsModule, CloudsModule, ContentsModule],
  controllers: [UploadsController],
  providers: [ReceptionService, UploadRepository, UploadService],
  exports: [UploadRepository],
})
export class UploadsModule implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  onModuleInit(): void {
    acceptRawBodies(this.host.httpAdapter.getInstance(), ['putBlob']);
  }
}
