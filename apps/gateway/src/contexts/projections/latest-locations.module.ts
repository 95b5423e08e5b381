import { Module } from '@nestjs/common';
import { ProjectionsModule } from './projections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { LatestLocationRepository } from './latest-location.repository.js';
import { LatestLocationsEventHandlers } from './latest-locations.event-handlers.js';
import { LatestLocationsService } from './latest-locations.service.js';

@Module({
  imports: [ProjectionsModule, MailboxModule],
  providers: [LatestLocationRepository, LatestLocationsService, LatestLocationsEventHandlers],
  exports: [LatestLocationsService],
})
export class LatestLocationsModule {}
