import { Module } from '@nestjs/common';
import { ConsentsModule } from '../consents/consents.module.js';
import { GeolocateController } from './geolocate.controller.js';
import { Locator } from './locator.service.js';
import { NetworkAgeingJob } from './network-ageing.job.js';
import { NetworkKeys } from './network-keys.js';
import { PositioningController } from './positioning.controller.js';
import { PositionProvider } from './position-provider.js';
import { RadioNetworkRepository } from './radio-network.repository.js';
import { ScanIntake } from './scan-intake.service.js';
import { WitnessSaltRepository } from './witness-salt.repository.js';

/** Where a watch is that sees no satellites: by the access points and cells that other watches have heard. */
@Module({
  imports: [ConsentsModule],
  controllers: [GeolocateController, PositioningController],
  providers: [
    Locator,
    NetworkAgeingJob,
    NetworkKeys,
    PositionProvider,
    RadioNetworkRepository,
    ScanIntake,
    WitnessSaltRepository,
  ],
})
export class PositioningModule {}
