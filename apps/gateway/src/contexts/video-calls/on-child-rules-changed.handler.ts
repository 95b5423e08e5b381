import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { KnownRules } from '../child-rules/known-rules.service.js';
import { CallRules } from './call-rules.service.js';
import { CALL_STEP } from './call-state.js';
import { CallTransitions } from './call-transitions.service.js';
import { VideoCallRepository } from './video-call.repository.js';

/** A call ends when the child's contacts allow it no more. One that school time has overtaken goes on. */
@Injectable()
export class EndForbiddenCallsHandler
  implements EventHandler<DomainEvents, 'userctx.child-rules.changed'>, OnModuleInit
{
  readonly name = 'gateway.video-calls.end-forbidden';
  readonly event = 'userctx.child-rules.changed' as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly known: KnownRules,
    private readonly rules: CallRules,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitions,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.child-rules.changed'>): Promise<void> {
    // First the rules, whoever else keeps them: no call begins by the old ones once the live ones have been looked at.
    await this.known.take(payload);
    const calls = await this.calls.lockLiveOfFamily(payload.familyId);
    for (const call of calls.filter(({ cid }) => cid === payload.cid)) {
      const refusal = await this.rules.refusalOf(call);
      if (refusal?.reason === 'CONTACT_NOT_ALLOWED') await this.transitions.take(call, CALL_STEP.LOSE_RIGHT, null);
    }
  }
}
