import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { DownloadsModule } from '../downloads/downloads.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { FirmwareController } from './firmware.controller.js';
import { FirmwareEventHandlers } from './firmware.event-handlers.js';
import { FirmwareImageRepository } from './firmware-image.repository.js';
import { FirmwareImagesService } from './firmware-images.service.js';

/** The bytes of the firmware images of userctx. */
@Module({
  imports: [CloudsModule, DownloadsModule, StorageModule],
  controllers: [FirmwareController],
  providers: [FirmwareEventHandlers, FirmwareImageRepository, FirmwareImagesService],
})
export class FirmwareModule {}
