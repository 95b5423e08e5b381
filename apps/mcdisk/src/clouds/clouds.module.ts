import { Module } from '@nestjs/common';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { CloudAccessService } from './cloud-access.service.js';
import { CloudService } from './cloud.service.js';
import { CloudRepository } from './cloud.repository.js';
import { CloudsController } from './clouds.controller.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { CloudsEventHandlers } from './clouds.event-handlers.js';

/**
 * Family clouds: who may see and change which part of a cloud, its quota, and the projection of families.
 *
 * - Tables: `ending`, `family_cloud`, `family_projection`.
 * - Publishes: nothing.
 * - Needs: no other room.
 */
@Module({
  controllers: [CloudsController],
  providers: [
    CloudAccessService,
    CloudService,
    CloudRepository,
    FamilyEventMonitor,
    FamilyProjectionRepository,
    CloudsEventHandlers,
    RequestLimiter,
  ],
  exports: [CloudAccessService, CloudRepository, FamilyEventMonitor, FamilyProjectionRepository, RequestLimiter],
})
export class CloudsModule {}
