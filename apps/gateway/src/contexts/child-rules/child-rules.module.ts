import { Module } from '@nestjs/common';
import { ChangedRulesJob } from './changed-rules.job.js';
import { ChildRulesRepository } from './child-rules.repository.js';
import { KnownRules } from './known-rules.service.js';
import { OnChildRulesChangedHandler } from './on-child-rules-changed.handler.js';

@Module({
  providers: [ChildRulesRepository, KnownRules, ChangedRulesJob, OnChildRulesChangedHandler],
  exports: [KnownRules],
})
export class ChildRulesModule {}
