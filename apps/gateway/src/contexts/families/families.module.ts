import { Module } from '@nestjs/common';
import { ConnectedFamiliesService } from './connected-families.service.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { FamilyLookupService } from './family-lookup.service.js';
import { StoreFamilySnapshotHandler } from './store-family-snapshot.handler.js';

@Module({
  providers: [FamilyProjectionRepository, ConnectedFamiliesService, FamilyLookupService, StoreFamilySnapshotHandler],
  exports: [ConnectedFamiliesService, FamilyLookupService],
})
export class FamiliesModule {}
