import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { ChildRulesLookupService } from '../child-rules/child-rules-lookup.service.js';
import { CallRulesService } from './call-rules.service.js';
import { CALL_TRANSITION } from './call-state.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoCallRepository } from './video-call.repository.js';

/** Ends a call when the child's contact rules no longer allow it. A call continues when school time starts. */
@Injectable()
export class EndDisallowedCallsHandler
  implements EventHandler<DomainEvents, 'userctx.child-rules.changed'>, OnModuleInit
{
  readonly name = 'gateway.video-calls.end-forbidden';
  readonly event = 'userctx.child-rules.changed' as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly childRules: ChildRulesLookupService,
    private readonly rules: CallRulesService,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.child-rules.changed'>): Promise<void> {
    // Stores the rules first, even if another handler also stores them, so that no call can start under the old rules
    // after the check.
    await this.childRules.store(payload);
    const calls = await this.calls.lockLiveOfFamily(payload.familyId);
    for (const call of calls.filter(({ cid }) => cid === payload.cid)) {
      const refusal = await this.rules.findRefusal(call);
      if (refusal?.reason === 'CONTACT_NOT_ALLOWED')
        await this.transitions.apply(call, CALL_TRANSITION.LOSE_RIGHT, null);
    }
  }
}
