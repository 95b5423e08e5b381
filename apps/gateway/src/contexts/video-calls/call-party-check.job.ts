import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { PARTY_ABSENCE_TIMEOUT_MS, CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { PresenceService } from '../presence/presence.service.js';
import { isCallStillAllowed } from './call-access.service.js';
import { CALL_TRANSITION } from './call-state.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { calleeOf, callerOf } from './video-call.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';
import type { CheckedCall } from './video-call.repository.js';

const EVERY_MS = 1_000;
/** A live call is looked at this often, by whichever node comes first. */
const CHECK_MS = 5_000;
const CALLS_AT_ONCE = 200;

/**
 * Looks after the parties of live calls: one that is not connected for too long has left, and two that are not of
 * one family any more are parted, should the event that says so be late.
 */
@Injectable()
export class CallPartyCheckJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
    private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(EVERY_MS);
  }

  async run(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.checkSome())) === CALLS_AT_ONCE);
  }

  private async checkSome(): Promise<number> {
    const now = this.clock.now();
    const checked = await this.calls.lockUnchecked(now - CHECK_MS, now, CALLS_AT_ONCE);
    if (checked.length === 0) return 0;
    const online = await this.presence.filterOnline(checked.flatMap(({ call }) => [callerOf(call), calleeOf(call)]));
    for (const each of checked) await this.check(each, online, now);
    return checked.length;
  }

  private async check({ call, family }: CheckedCall, online: Set<PrincipalKey>, now: number): Promise<void> {
    if (!isCallStillAllowed(call, family ?? undefined)) {
      await this.transitions.apply(call, CALL_TRANSITION.LOSE_RIGHT, null);
      return;
    }
    // While it rings, a device may still be waking up.
    if (call.state !== CALL_STATE.ACCEPTED) return;
    const absentSince = online.has(callerOf(call)) && online.has(calleeOf(call)) ? null : (call.absentSince ?? now);
    if (absentSince !== null && now - absentSince >= PARTY_ABSENCE_TIMEOUT_MS) {
      await this.transitions.apply(call, CALL_TRANSITION.LOSE_PARTY, null);
      return;
    }
    if (absentSince !== call.absentSince) await this.calls.update({ ...call, absentSince } satisfies VideoCall);
  }
}
