import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/events/on-event.decorator';
import { PROJECTION } from '../../infrastructure/gateway-infrastructure.js';
import { ChildRulesLookupService } from './child-rules-lookup.service.js';

type ChildRulesEvent = 'userctx.child-rules.changed' | 'userctx.child.erased';

/** Projects the rules of children from userctx. */
@Injectable()
export class ChildRulesEventHandlers {
  constructor(private readonly rules: ChildRulesLookupService) {}

  // One handler processes rule changes and erasures, so that no rules are stored after the child was erased.
  @OnEvent(['userctx.child-rules.changed', 'userctx.child.erased'], {
    handler: 'gateway.child-rules.keep-newest',
    projection: {
      name: PROJECTION.CHILD_RULES,
      findVersions: (self: ChildRulesEventHandlers, cids) => self.rules.findVersions(cids),
    },
  })
  async storeChildRules({ name, payload }: EventOf<DomainEvents, ChildRulesEvent>): Promise<void> {
    if (name === 'userctx.child.erased') await this.rules.delete(payload.cid);
    else await this.rules.store(payload);
  }
}
