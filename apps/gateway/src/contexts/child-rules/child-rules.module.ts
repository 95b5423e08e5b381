import { Module } from '@nestjs/common';
import { ChildRulesProjectionRepository } from './child-rules-projection.repository.js';
import { ChildRulesLookupService } from './child-rules-lookup.service.js';
import { ChildRulesEventHandlers } from './child-rules.event-handlers.js';

@Module({
  providers: [ChildRulesProjectionRepository, ChildRulesLookupService, ChildRulesEventHandlers],
  exports: [ChildRulesLookupService],
})
export class ChildRulesModule {}
