import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { CompiledFences } from './compiled-fences.service.js';
import { FenceClockJob } from './fence-clock.job.js';
import { FenceEventRepository } from './fence-event.repository.js';
import { FenceRepository } from './fence.repository.js';
import { FenceRetentionJob } from './fence-retention.job.js';
import { FenceSchedule } from './fence-schedule.service.js';
import { FenceTelling } from './fence-telling.service.js';
import { FenceTrackRepository } from './fence-track.repository.js';
import { FenceWatchRepository } from './fence-watch.repository.js';
import { FenceWatch } from './fence-watch.service.js';
import { FencesController } from './fences.controller.js';
import { FencesService } from './fences.service.js';
import { OnChildChangedHandler } from './on-child-changed.handler.js';
import { OnChildErasedHandler } from './on-child-erased.handler.js';

/** Places that children come to and leave, and when they should be there. */
@Module({
  imports: [FamiliesModule],
  controllers: [FencesController],
  providers: [
    ...[FenceRepository, FenceWatchRepository, FenceTrackRepository, FenceEventRepository],
    ...[CompiledFences, FenceTelling, FenceSchedule, FenceWatch, FencesService],
    ...[FenceClockJob, FenceRetentionJob, OnChildChangedHandler, OnChildErasedHandler],
  ],
  exports: [FenceWatch],
})
export class FencesModule {}
