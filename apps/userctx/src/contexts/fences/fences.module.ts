import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { CompiledFencesService } from './compiled-fences.service.js';
import { FenceMonitorService } from './fence-monitor.service.js';
import { FenceRepository } from './fence.repository.js';
import { FencesController } from './fences.controller.js';
import { FencesEventHandlers } from './fences.event-handlers.js';
import { FencesService } from './fences.service.js';

/** Geofences: places that children enter and leave, and the times when a child is expected inside. */
@Module({
  imports: [FamiliesModule],
  controllers: [FencesController],
  providers: [FenceRepository, CompiledFencesService, FenceMonitorService, FencesService, FencesEventHandlers],
  exports: [FenceMonitorService, FencesService],
})
export class FencesModule {}
