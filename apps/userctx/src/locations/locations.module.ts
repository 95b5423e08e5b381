import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { CompiledFencesService } from './fences/compiled-fences.service.js';
import { FenceMonitorService } from './fences/fence-monitor.service.js';
import { FenceRepository } from './fences/fence.repository.js';
import { FencesController } from './fences/fences.controller.js';
import { FencesEventHandlers } from './fences/fences.event-handlers.js';
import { FencesService } from './fences/fences.service.js';
import { createGeocoder } from './geocoding/create-geocoder.js';
import { Geocoder } from './geocoding/geocoder.js';
import { LocationIntakeService } from './location-intake.service.js';
import { LocationRequestRepository } from './location-request.repository.js';
import { LocationRequestService } from './location-request.service.js';
import { LocationShareRepository } from './location-share.repository.js';
import { LocationSharesService } from './location-shares.service.js';
import { LocationRepository } from './location.repository.js';
import { LocationService } from './location.service.js';
import { LocationsController } from './locations.controller.js';
import { LocationsEventHandlers } from './locations.event-handlers.js';
import { PointCorrectionService } from './point-correction.service.js';
import { GeolocationProvider } from './positioning/geolocation-provider.js';
import { LocatorService } from './positioning/locator.service.js';
import { NetworkKeys } from './positioning/network-keys.js';
import { PositioningController } from './positioning/positioning.controller.js';
import { RadioNetworkRepository } from './positioning/radio-network.repository.js';
import { ScanIntakeService } from './positioning/scan-intake.service.js';
import { SharedLocationController } from './shared-location.controller.js';

/**
 * Where children are: the intake of reported points and which of them are credible, tracks, corrections, location
 * requests and shares, geofences, and the positions of watches that have no GPS fix.
 *
 * - Parts: `fences/` (geofences), `positioning/` (by Wi-Fi access points and cells), `geocoding/` (the
 *   nearest town); intake, tracks and shares are at
 *   the top.
 * - Tables: `child_location`, `fence`, `fence_event`, `fence_watch`, `location_ask`, `location_point`,
 *   `location_share`, `location_wrong_report`, `radio_network`, `witness_salt`.
 * - Publishes: `userctx.fence.triggered`, `userctx.location-share.changed`, `userctx.location.asked`,
 *   `userctx.location.changed`, `userctx.location.withdrawn`.
 * - Needs: accounts, families, watches.
 */
@Module({
  imports: [AccountsModule, FamiliesModule, WatchesModule],
  controllers: [LocationsController, SharedLocationController, FencesController, PositioningController],
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
    FenceRepository,
    CompiledFencesService,
    FenceMonitorService,
    FencesService,
    FencesEventHandlers,
    LocatorService,
    NetworkKeys,
    GeolocationProvider,
    { provide: Geocoder, useFactory: createGeocoder, inject: [Environment] },
    RadioNetworkRepository,
    ScanIntakeService,
  ],
  exports: [LocationIntakeService, LocationService, FencesService],
})
export class LocationsModule implements OnApplicationShutdown {
  constructor(private readonly geocoder: Geocoder) {}

  onApplicationShutdown(): void {
    this.geocoder.stop();
  }
}
