import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { RenditionsModule } from '../renditions/renditions.module.js';
import { ShareService } from './share.service.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import { MediaGrantMonitor, GrantedMediaService } from './granted-media.service.js';
import { SharingEventHandlers } from './sharing.event-handlers.js';
import { ShareRepository } from './share.repository.js';
import { SharingController } from './sharing.controller.js';
import { SignedUrlService } from './signed-urls/signed-url.service.js';
import { UrlSigningKeyRepository } from './signed-urls/url-signing-key.repository.js';
import { UrlSigningKeysService } from './signed-urls/url-signing-keys.service.js';

/**
 * Read access without the right to read: by a share, by a chat message between children who are friends, and by a
 * signed URL.
 *
 * - Parts: `signed-urls/`.
 * - Tables: `friendship`, `link_key`, `media_grant`, `share`, `share_content`.
 * - Publishes: nothing.
 * - Needs: clouds, renditions.
 */
@Module({
  imports: [CloudsModule, RenditionsModule],
  controllers: [SharingController],
  providers: [
    ShareRepository,
    MediaGrantRepository,
    ShareService,
    MediaGrantMonitor,
    GrantedMediaService,
    SharingEventHandlers,
    SignedUrlService,
    UrlSigningKeyRepository,
    UrlSigningKeysService,
  ],
  exports: [GrantedMediaService, ShareService, SignedUrlService],
})
export class SharingModule {}
