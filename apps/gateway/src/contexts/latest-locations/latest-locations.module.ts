import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { LatestLocationRepository } from './latest-location.repository.js';
import { DeleteFormerChildLocationsHandler } from './delete-former-child-locations.handler.js';
import { PublishLatestLocationHandler } from './publish-latest-location.handler.js';
import { LatestLocationsService } from './latest-locations.service.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [
    LatestLocationRepository,
    LatestLocationsService,
    PublishLatestLocationHandler,
    DeleteFormerChildLocationsHandler,
  ],
  exports: [LatestLocationsService],
})
export class LatestLocationsModule {}
