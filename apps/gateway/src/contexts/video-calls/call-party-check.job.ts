import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { PARTY_ABSENCE_TIMEOUT_MS, CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import {
  GatewayProjections,
  PROJECTION,
  CLOCK,
  GatewayUnitOfWork,
} from '../../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import { PresenceService } from '../presence/presence.service.js';
import { isCallStillAllowed } from './call-access.service.js';
import { CALL_TRANSITION } from './call-state.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { calleeOf, callerOf } from './video-call.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';
import type { CallWithFamily } from './video-call.repository.js';

const INTERVAL_MS = 1_000;
/** Milliseconds between two checks of a live call, whichever node runs them. */
const CHECK_INTERVAL_MS = 5_000;
const BATCH_SIZE = 200;

/**
 * Checks the parties of live calls. Ends a call when a party has been disconnected for too long. The job also ends a
 * call when the parties may no longer call each other, in case the event about the change of the family is delayed.
 */
@Injectable()
export class CallPartyCheckJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
    private readonly presence: PresenceService,
    private readonly families: ConnectedFamiliesService,
    private readonly projections: GatewayProjections,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.checkBatch())) === BATCH_SIZE);
  }

  private async checkBatch(): Promise<number> {
    const now = this.clock.now();
    const claimed = await this.calls.claimUnchecked(now - CHECK_INTERVAL_MS, now, BATCH_SIZE);
    if (claimed.length === 0) return 0;
    const online = await this.presence.filterOnline(claimed.flatMap(({ call }) => [callerOf(call), calleeOf(call)]));
    for (const call of claimed) await this.checkCall(call, online, now);
    return claimed.length;
  }

  private async checkCall({ call, family }: CallWithFamily, online: Set<PrincipalKey>, now: number): Promise<void> {
    // A call gives access to a camera, so it ends if the projection of the family may be outdated and
    // userctx does not respond.
    const isKnown = this.projections.isKnown(PROJECTION.FAMILIES, call.familyId);
    const current = isKnown ? family : await this.families.find(call.familyId);
    if (!isCallStillAllowed(call, current ?? undefined)) {
      await this.transitions.apply(call, CALL_TRANSITION.LOSE_RIGHT, null);
      return;
    }
    // A missing connection ends only accepted calls: while the call rings, a device may still be waking up.
    if (call.state !== CALL_STATE.ACCEPTED) return;
    const absentSince = online.has(callerOf(call)) && online.has(calleeOf(call)) ? null : (call.absentSince ?? now);
    if (absentSince !== null && now - absentSince >= PARTY_ABSENCE_TIMEOUT_MS) {
      await this.transitions.apply(call, CALL_TRANSITION.LOSE_PARTY, null);
      return;
    }
    if (absentSince !== call.absentSince) await this.calls.update({ ...call, absentSince } satisfies VideoCall);
  }
}
