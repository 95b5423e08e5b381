import { Inject, Injectable } from '@nestjs/common';
import { CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { CALL_TRANSITION } from './call-state.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoCallRepository } from './video-call.repository.js';

const EVERY_MS = 500;
const CALLS_AT_ONCE = 100;

/** Ends calls that have rung, or gone on, for as long as they may. The times are in the database, for every node. */
@Injectable()
export class CallTimeoutJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(EVERY_MS);
  }

  async run(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.endSome())) === CALLS_AT_ONCE);
  }

  private async endSome(): Promise<number> {
    const due = await this.calls.lockDue(this.clock.now(), CALLS_AT_ONCE);
    for (const call of due) {
      const step = call.state === CALL_STATE.RINGING ? CALL_TRANSITION.RING_OUT : CALL_TRANSITION.REACH_LIMIT;
      await this.transitions.apply(call, step, null);
    }
    return due.length;
  }
}
