import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { FencesModule } from '../fences/fences.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { LocationIntakeService } from './location-intake.service.js';
import { LocationRepository } from './location.repository.js';
import { LocationRequestRepository } from './location-request.repository.js';
import { LocationRequestService } from './location-request.service.js';
import { LocationShareRepository } from './location-share.repository.js';
import { LocationSharesService } from './location-shares.service.js';
import { LocationService } from './location.service.js';
import { LocationsController } from './locations.controller.js';
import { LocationsEventHandlers } from './locations.event-handlers.js';
import { PointCorrectionService } from './point-correction.service.js';
import { SharedLocationController } from './shared-location.controller.js';

/** Locations of children: intake, tracks, corrections, shares and location requests. */
@Module({
  imports: [FamiliesModule, FencesModule, WatchesModule],
  controllers: [LocationsController, SharedLocationController],
  providers: [
    LocationRequestRepository,
    LocationRequestService,
    LocationIntakeService,
    LocationRepository,
    LocationService,
    LocationsEventHandlers,
    PointCorrectionService,
    LocationShareRepository,
    LocationSharesService,
  ],
  exports: [LocationIntakeService, LocationService],
})
export class LocationsModule {}
