import { Module } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { LocationIntake } from './location-intake.service.js';
import { LocationPointRepository } from './location-point.repository.js';
import { LocationService } from './location.service.js';
import { LocationsController } from './locations.controller.js';
import { OnChildErased } from './on-child-erased.handler.js';
import { OnLocationReported } from './on-location-reported.handler.js';

/** Where children are and were. */
@Module({
  imports: [FamiliesModule, WatchesModule],
  controllers: [LocationsController],
  providers: [
    ChildLocationRepository,
    LocationIntake,
    LocationPointRepository,
    LocationService,
    OnChildErased,
    OnLocationReported,
  ],
})
export class LocationsModule implements OnModuleInit {
  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly onChildErased: OnChildErased,
    private readonly onLocationReported: OnLocationReported,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this.onChildErased);
    this.consumer.register(this.onLocationReported);
  }
}
