import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { FencesModule } from '../fences/fences.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { PointCorrectionController } from './corrections/point-correction.controller.js';
import { PointCorrectionRepository } from './corrections/point-correction.repository.js';
import { PointCorrectionService } from './corrections/point-correction.service.js';
import { LocationIntakeService } from './intake/location-intake.service.js';
import { LocationPointRepository } from './location-point.repository.js';
import { LocationService } from './location.service.js';
import { LocationsController } from './locations.controller.js';
import { LocationsEventHandlers } from './locations.event-handlers.js';
import { LocationRequestController } from './requests/location-request.controller.js';
import { LocationRequestRepository } from './requests/location-request.repository.js';
import { LocationRequestService } from './requests/location-request.service.js';
import { LocationShareRepository } from './shares/location-share.repository.js';
import { LocationSharesController } from './shares/location-shares.controller.js';
import { LocationSharesService } from './shares/location-shares.service.js';
import { SharedLocationController } from './shares/shared-location.controller.js';
import { TrackController } from './track/track.controller.js';
import { TrackRepository } from './track/track.repository.js';
import { TrackService } from './track/track.service.js';
import { VisitsService } from './visits/visits.service.js';

/** Locations of children: intake, tracks, corrections, shares and location requests. */
@Module({
  imports: [FamiliesModule, FencesModule, WatchesModule],
  controllers: [
    LocationsController,
    LocationRequestController,
    TrackController,
    PointCorrectionController,
    LocationSharesController,
    SharedLocationController,
  ],
  providers: [
    ChildLocationRepository,
    LocationRequestRepository,
    LocationRequestService,
    LocationIntakeService,
    LocationPointRepository,
    LocationService,
    LocationsEventHandlers,
    TrackRepository,
    TrackService,
    VisitsService,
    PointCorrectionRepository,
    PointCorrectionService,
    LocationShareRepository,
    LocationSharesService,
  ],
  exports: [LocationIntakeService],
})
export class LocationsModule {}
