import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { FencesModule } from '../fences/fences.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { LocationAskController } from './asks/location-ask.controller.js';
import { LocationAskExpiryJob } from './asks/location-ask-expiry.job.js';
import { LocationAskRepository } from './asks/location-ask.repository.js';
import { LocationAskService } from './asks/location-ask.service.js';
import { LocationIntake } from './intake/location-intake.service.js';
import { LocationPointRepository } from './location-point.repository.js';
import { LocationService } from './location.service.js';
import { LocationsController } from './locations.controller.js';
import { OnChildErasedHandler } from './on-child-erased.handler.js';
import { OnLocationReportedHandler } from './intake/on-location-reported.handler.js';
import { OnFamilyChangedHandler } from './shares/on-family-changed.handler.js';
import { ShareExpiryJob } from './shares/share-expiry.job.js';
import { ShareRepository } from './shares/share.repository.js';
import { SharedLocationController } from './shares/shared-location.controller.js';
import { SharesController } from './shares/shares.controller.js';
import { SharesService } from './shares/shares.service.js';
import { TrackController } from './track/track.controller.js';
import { TrackRepository } from './track/track.repository.js';
import { TrackService } from './track/track.service.js';
import { VisitsService } from './visits/visits.service.js';
import { WrongReportController } from './wrong-reports/wrong-report.controller.js';
import { WrongReportRepository } from './wrong-reports/wrong-report.repository.js';
import { WrongReportRetentionJob } from './wrong-reports/wrong-report-retention.job.js';
import { WrongReportService } from './wrong-reports/wrong-report.service.js';

/** Where children are and were. */
@Module({
  imports: [FamiliesModule, FencesModule, WatchesModule],
  controllers: [
    LocationsController,
    LocationAskController,
    TrackController,
    WrongReportController,
    SharesController,
    SharedLocationController,
  ],
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
    ...[TrackRepository, TrackService, VisitsService],
    ...[WrongReportRepository, WrongReportRetentionJob, WrongReportService],
    ...[OnFamilyChangedHandler, ShareExpiryJob, ShareRepository, SharesService],
  ],
  exports: [LocationIntake],
})
export class LocationsModule {}
