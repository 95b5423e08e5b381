import { Module } from '@nestjs/common';
import { CloudAccessService } from './cloud-access.service.js';
import { CloudInfoService } from './cloud-info.service.js';
import { CloudRepository } from './cloud.repository.js';
import { CloudService } from './cloud.service.js';
import { CloudsController } from './clouds.controller.js';
import { FamilyArrivals } from './family-arrivals.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { OnFamilyChangedHandler } from './on-family-changed.handler.js';

/** Families' clouds: who belongs to them, and their quota. */
@Module({
  controllers: [CloudsController],
  providers: [
    CloudAccessService,
    CloudInfoService,
    CloudRepository,
    CloudService,
    FamilyArrivals,
    FamilyProjectionRepository,
    OnFamilyChangedHandler,
  ],
  exports: [CloudAccessService, CloudRepository, FamilyArrivals, FamilyProjectionRepository],
})
export class CloudsModule {}
