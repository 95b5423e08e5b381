import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler, Projection } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { PROJECTION } from '../../infrastructure/gateway.projections.js';
import { ChildRulesLookupService } from './child-rules-lookup.service.js';

type ChildRulesEvent = 'userctx.child-rules.changed' | 'userctx.child.erased';

@Injectable()
export class StoreChildRulesHandler implements EventHandler<DomainEvents, ChildRulesEvent>, OnModuleInit {
  readonly name = 'gateway.child-rules.keep-newest';
  // One handler processes rule changes and erasures, so that no rules are stored after the child was erased.
  readonly event = ['userctx.child-rules.changed', 'userctx.child.erased'] as const;
  readonly projection: Projection = {
    name: PROJECTION.CHILD_RULES,
    findVersions: (cids) => this.rules.findVersions(cids),
  };

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly rules: ChildRulesLookupService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<ChildRulesEvent>(this);
  }

  async handle({ name, payload }: EventOf<DomainEvents, ChildRulesEvent>): Promise<void> {
    if (name === 'userctx.child.erased') await this.rules.delete(payload.cid);
    else await this.rules.store(payload);
  }
}
