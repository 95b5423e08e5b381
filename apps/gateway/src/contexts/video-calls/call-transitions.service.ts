import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { CallNoticesService } from './call-notices.service.js';
import { CALL_TRANSITION, nextCallState } from './call-state.js';
import type { CallTransition } from './call-state.js';
import { withCallState } from './video-call.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';

/** The one way from a state of a call to the next: stored and told in the unit of work that has locked the call. */
@Injectable()
export class CallTransitionsService {
  constructor(
    private readonly calls: VideoCallRepository,
    private readonly notices: CallNoticesService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param by who does it; `null` for the service itself
   * @param acceptedSession the session that accepts
   * @throws ServiceError CALL_STATE where the step is none of the call's state
   */
  async apply(
    call: VideoCall,
    step: CallTransition,
    by: PrincipalKey | null,
    acceptedSession: string | null = call.acceptedSession,
  ): Promise<VideoCall> {
    const state = nextCallState(call.state, step);
    if (state === null) throw new ServiceError('CALL_STATE');
    const now = this.clock.now();
    const moved = { ...withCallState(call, state, now), acceptedSession };
    await this.calls.update(moved);
    if (step === CALL_TRANSITION.LOSE_RIGHT) this.notices.sendPartyRemoved(moved, now);
    else await this.notices.sendState(moved, by, now);
    return moved;
  }
}
