import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { ContentsModule } from '../contents/contents.module.js';
import { RecycleBinModule } from '../recycle-bin/recycle-bin.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { AccountEnding } from './account-ending.service.js';
import { ChildEnding } from './child-ending.service.js';
import { EndedCloudRepository } from './ended-cloud.repository.js';
import { EndedContentRepository } from './ended-content.repository.js';
import { EndingRepository } from './ending.repository.js';
import { EndingsJob } from './endings.job.js';
import { FamilyEnding } from './family-ending.service.js';
import { EndWithAccountHandler } from './on-account-erased.handler.js';
import { EndWithChildHandler } from './on-child-erased.handler.js';
import { EndWithFamilyHandler } from './on-family-changed.handler.js';
import { PersonColumnsRepository } from './person-columns.repository.js';
import { Recycling } from './recycling.service.js';

/** What becomes of a cloud's contents when a member, a child, an account or the family itself is no more. */
@Module({
  imports: [CloudsModule, ContentsModule, RecycleBinModule, UploadsModule],
  providers: [
    AccountEnding,
    ChildEnding,
    EndedCloudRepository,
    EndedContentRepository,
    EndingRepository,
    EndingsJob,
    EndWithAccountHandler,
    EndWithChildHandler,
    EndWithFamilyHandler,
    FamilyEnding,
    PersonColumnsRepository,
    Recycling,
  ],
})
export class EndingsModule {}
