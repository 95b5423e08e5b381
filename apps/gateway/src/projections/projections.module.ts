import { Module } from '@nestjs/common';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { ChildRulesLookupService } from './child-rules-lookup.service.js';
import { ChildRulesProjectionRepository } from './child-rules-projection.repository.js';
import { ConnectedFamiliesService } from './connected-families.service.js';
import { FamilyLookupService } from './family-lookup.service.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { ProjectionsEventHandlers } from './projections.event-handlers.js';

/**
 * Projections of userctx data that decide about access: the families and the rules of children. A projection that is
 * behind counts as unknown; then userctx is asked, or access is refused.
 *
 * - Tables: `child_rules`, `family`, `family_principal`.
 * - Publishes: nothing.
 * - Needs: no other room.
 */
@Module({
  providers: [
    FamilyEventMonitor,
    FamilyProjectionRepository,
    ConnectedFamiliesService,
    FamilyLookupService,
    ChildRulesProjectionRepository,
    ChildRulesLookupService,
    ProjectionsEventHandlers,
  ],
  exports: [ConnectedFamiliesService, FamilyLookupService, ChildRulesLookupService],
})
export class ProjectionsModule {}
