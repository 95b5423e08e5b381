import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { AuthorizationService } from './authorization.service.js';
import { FriendshipRepository } from './friendship.repository.js';
import { GrantArrivals } from './grant-arrivals.js';
import { GrantedMedia } from './granted-media.service.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import { EndSharesOfChildHandler } from './on-child-erased.handler.js';
import { EndSharesOfPurgedHandler } from './on-contents-purged.handler.js';
import { EndSharesWithMembershipHandler } from './on-family-changed.handler.js';
import { KeepFriendshipsHandler } from './on-friendship-changed.handler.js';
import { EndMediaGrantsHandler } from './on-media-grant-ended.handler.js';
import { KeepMediaGrantsHandler } from './on-media-granted.handler.js';
import { ShareRepository } from './share.repository.js';
import { SharedContentRepository } from './shared-content.repository.js';
import { SharedContents } from './shared-contents.service.js';
import { SharingController } from './sharing.controller.js';
import { SharingRetentionJob } from './sharing-retention.job.js';

/** What somebody may read who has no right to read: by a share, or by a message of a befriended child. */
@Module({
  imports: [CloudsModule],
  controllers: [SharingController],
  providers: [
    ShareRepository,
    SharedContentRepository,
    FriendshipRepository,
    MediaGrantRepository,
    AuthorizationService,
    SharedContents,
    GrantArrivals,
    GrantedMedia,
    SharingRetentionJob,
    EndSharesWithMembershipHandler,
    EndSharesOfChildHandler,
    EndSharesOfPurgedHandler,
    KeepFriendshipsHandler,
    EndMediaGrantsHandler,
    KeepMediaGrantsHandler,
  ],
  exports: [GrantedMedia, SharedContents],
})
export class SharingModule {}
