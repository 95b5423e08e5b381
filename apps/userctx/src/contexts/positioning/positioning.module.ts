import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { GeolocationProvider } from './geolocation-provider.js';
import { LocatorService } from './locator.service.js';
import { NetworkKeys } from './network-keys.js';
import { PositioningController } from './positioning.controller.js';
import { RadioNetworkRepository } from './radio-network.repository.js';
import { ScanIntakeService } from './scan-intake.service.js';

/** Locates watches without a GPS fix by the access points and cells that other watches have observed. */
@Module({
  imports: [AccountsModule, FamiliesModule],
  controllers: [PositioningController],
  providers: [LocatorService, NetworkKeys, GeolocationProvider, RadioNetworkRepository, ScanIntakeService],
})
export class PositioningModule {}
