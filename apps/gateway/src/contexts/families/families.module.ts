import { Module } from '@nestjs/common';
import { FamilyDirectory } from './family-directory.service.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { KnownFamilies } from './known-families.service.js';
import { OnFamilyChangedHandler } from './on-family-changed.handler.js';

@Module({
  providers: [FamilyProjectionRepository, FamilyDirectory, KnownFamilies, OnFamilyChangedHandler],
  exports: [FamilyDirectory, KnownFamilies],
})
export class FamiliesModule {}
