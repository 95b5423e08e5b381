import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { CallNoticesService } from './call-notices.service.js';
import { CALL_TRANSITION, nextCallState } from './call-state.js';
import type { CallTransition } from './call-state.js';
import { withCallState } from './video-call.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';

/**
 * Applies transitions to calls: stores the new state and notifies the parties, in the transaction that has locked the
 * call. All state changes of calls go through this service.
 */
@Injectable()
export class CallTransitionsService {
  constructor(
    private readonly calls: VideoCallRepository,
    private readonly notices: CallNoticesService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param by the principal that causes the transition, or `null` for the service
   * @param acceptedSession the session that accepts
   * @throws ServiceError CALL_STATE if the call's state does not allow the transition
   */
  async apply(
    call: VideoCall,
    transition: CallTransition,
    by: PrincipalKey | null,
    acceptedSession: string | null = call.acceptedSession,
  ): Promise<VideoCall> {
    const state = nextCallState(call.state, transition);
    if (state === null) throw new ServiceError('CALL_STATE');
    const now = this.clock.now();
    const updated = { ...withCallState(call, state, now), acceptedSession };
    await this.calls.update(updated);
    if (transition === CALL_TRANSITION.LOSE_RIGHT) this.notices.sendPartyRemoved(updated, now);
    else await this.notices.sendState(updated, by, now);
    return updated;
  }
}
