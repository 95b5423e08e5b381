import { Module } from '@nestjs/common';
import { ChildRulesRefreshJob } from './child-rules-refresh.job.js';
import { ChildRulesProjectionRepository } from './child-rules-projection.repository.js';
import { ChildRulesLookupService } from './child-rules-lookup.service.js';
import { StoreChildRulesHandler } from './store-child-rules.handler.js';

@Module({
  providers: [ChildRulesProjectionRepository, ChildRulesLookupService, ChildRulesRefreshJob, StoreChildRulesHandler],
  exports: [ChildRulesLookupService],
})
export class ChildRulesModule {}
