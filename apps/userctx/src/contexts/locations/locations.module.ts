import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { LocationAskController } from './location-ask.controller.js';
import { LocationAskExpiryJob } from './location-ask-expiry.job.js';
import { LocationAskRepository } from './location-ask.repository.js';
import { LocationAskService } from './location-ask.service.js';
import { LocationIntake } from './location-intake.service.js';
import { LocationPointRepository } from './location-point.repository.js';
import { LocationService } from './location.service.js';
import { LocationsController } from './locations.controller.js';
import { OnChildErasedHandler } from './on-child-erased.handler.js';
import { OnLocationReportedHandler } from './on-location-reported.handler.js';

/** Where children are and were. */
@Module({
  imports: [FamiliesModule, WatchesModule],
  controllers: [LocationsController, LocationAskController],
  providers: [
    ChildLocationRepository,
    LocationAskExpiryJob,
    LocationAskRepository,
    LocationAskService,
    LocationIntake,
    LocationPointRepository,
    LocationService,
    OnChildErasedHandler,
    OnLocationReportedHandler,
  ],
  exports: [LocationIntake],
})
export class LocationsModule {}
