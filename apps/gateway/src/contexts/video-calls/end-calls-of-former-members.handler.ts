import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import { isCallStillAllowed } from './call-access.service.js';
import { CALL_TRANSITION } from './call-state.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoCallRepository } from './video-call.repository.js';

/** Ends a call when a party leaves the family or loses the permission, or when the watch is unbound. */
@Injectable()
export class EndCallsOfFormerMembersHandler
  implements EventHandler<DomainEvents, 'userctx.family.changed'>, OnModuleInit
{
  readonly name = 'gateway.video-calls.end-severed';
  readonly event = 'userctx.family.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: ConnectedFamiliesService,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const calls = await this.calls.lockLiveOfFamily(payload.familyId);
    if (calls.length === 0) return;
    const stored = await this.families.find(payload.familyId);
    const newest = stored && stored.version > payload.version ? stored : payload;
    for (const call of calls) {
      if (!isCallStillAllowed(call, newest)) await this.transitions.apply(call, CALL_TRANSITION.LOSE_RIGHT, null);
    }
  }
}
