import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { CallNotices } from './call-notices.service.js';
import { CALL_STEP, nextState } from './call-state.js';
import type { CallStep } from './call-state.js';
import { movedTo } from './video-call.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';

/** The one way from a state of a call to the next: stored and told in the unit of work that has locked the call. */
@Injectable()
export class CallTransitions {
  constructor(
    private readonly calls: VideoCallRepository,
    private readonly notices: CallNotices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param by who does it; `null` for the service itself
   * @param acceptedSession the session that accepts
   * @throws ServiceError CALL_STATE where the step is none of the call's state
   */
  async take(
    call: VideoCall,
    step: CallStep,
    by: PrincipalKey | null,
    acceptedSession: string | null = call.acceptedSession,
  ): Promise<VideoCall> {
    const state = nextState(call.state, step);
    if (state === null) throw new ServiceError('CALL_STATE');
    const now = this.clock.now();
    const moved = { ...movedTo(call, state, now), acceptedSession };
    await this.calls.update(moved);
    if (step === CALL_STEP.LOSE_RIGHT) this.notices.tellSevered(moved, now);
    else await this.notices.tellState(moved, by, now);
    return moved;
  }
}
