import { Inject, Injectable } from '@nestjs/common';
import { CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { CALL_TRANSITION } from './call-state.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoCallRepository } from './video-call.repository.js';

const INTERVAL_MS = 500;
const BATCH_SIZE = 100;

/**
 * Ends calls at the ring timeout or the maximum duration. Any node can end any call, because the deadlines are stored
 * in the database.
 */
@Injectable()
export class CallTimeoutJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.endDueCalls())) === BATCH_SIZE);
  }

  private async endDueCalls(): Promise<number> {
    const due = await this.calls.claimDue(this.clock.now(), BATCH_SIZE);
    for (const call of due) {
      const transition = call.state === CALL_STATE.RINGING ? CALL_TRANSITION.RING_OUT : CALL_TRANSITION.REACH_LIMIT;
      await this.transitions.apply(call, transition, null);
    }
    return due.length;
  }
}
