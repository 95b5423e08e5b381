import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { LocationsModule } from '../locations/locations.module.js';
import { OnChildErasedHandler } from './on-child-erased.handler.js';
import { OnSosRaisedHandler } from './on-sos-raised.handler.js';
import { SosController } from './sos.controller.js';
import { SosRepository } from './sos.repository.js';
import { SosRetentionJob } from './sos-retention.job.js';
import { SosService } from './sos.service.js';

/** Calls for help, and who takes care of them. */
@Module({
  imports: [FamiliesModule, LocationsModule],
  controllers: [SosController],
  providers: [OnChildErasedHandler, OnSosRaisedHandler, SosRepository, SosRetentionJob, SosService],
  exports: [SosService],
})
export class SosModule {}
