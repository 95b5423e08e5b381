import { Module } from '@nestjs/common';
import { ConnectedFamiliesService } from './connected-families.service.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { FamilyLookupService } from './family-lookup.service.js';
import { FamiliesEventHandlers } from './families.event-handlers.js';

@Module({
  providers: [FamilyProjectionRepository, ConnectedFamiliesService, FamilyLookupService, FamiliesEventHandlers],
  exports: [ConnectedFamiliesService, FamilyLookupService],
})
export class FamiliesModule {}
