import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { FamilyDirectory } from '../families/family-directory.service.js';
import { mayGoOn } from './call-access.service.js';
import { CALL_STEP } from './call-state.js';
import { CallTransitions } from './call-transitions.service.js';
import { VideoCallRepository } from './video-call.repository.js';

/** A call ends when one of its parties leaves the family, loses the permission, or the watch is bound no more. */
@Injectable()
export class EndSeveredCallsHandler implements EventHandler<DomainEvents, 'userctx.family.changed'>, OnModuleInit {
  readonly name = 'gateway.video-calls.end-severed';
  readonly event = 'userctx.family.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyDirectory,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitions,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const calls = await this.calls.lockLiveOfFamily(payload.familyId);
    if (calls.length === 0) return;
    const known = await this.families.find(payload.familyId);
    const newest = known && known.version > payload.version ? known : payload;
    for (const call of calls) {
      if (!mayGoOn(call, newest)) await this.transitions.take(call, CALL_STEP.LOSE_RIGHT, null);
    }
  }
}
