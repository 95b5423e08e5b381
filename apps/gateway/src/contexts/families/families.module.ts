import { Module } from '@nestjs/common';
import { FamilyDirectory } from './family-directory.service.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { OnFamilyChangedHandler } from './on-family-changed.handler.js';

@Module({
  providers: [FamilyProjectionRepository, FamilyDirectory, OnFamilyChangedHandler],
  exports: [FamilyProjectionRepository, FamilyDirectory],
})
export class FamiliesModule {}
