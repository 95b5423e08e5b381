import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { ShareService } from './share.service.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import { MediaGrantMonitor, GrantedMediaService } from './granted-media.service.js';
import { SharingEventHandlers } from './sharing.event-handlers.js';
import { ShareRepository } from './share.repository.js';
import { SharingController } from './sharing.controller.js';

/** Read access without the right to read: by a share, or by a chat message between children who are friends. */
@Module({
  imports: [CloudsModule],
  controllers: [SharingController],
  providers: [
    ShareRepository,
    MediaGrantRepository,
    ShareService,
    MediaGrantMonitor,
    GrantedMediaService,
    SharingEventHandlers,
  ],
  exports: [GrantedMediaService, ShareService],
})
export class SharingModule {}
