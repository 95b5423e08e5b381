import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { PARTY_ABSENCE_TIMEOUT_MS, CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import { VideoCallEntity } from '@family-watch/domain/messages/entities/video-call.entity';
import type { Clock } from '@family-watch/event-bus/clock';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayProjections, PROJECTION, CLOCK, GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService } from '../projections/connected-families.service.js';
import { PresenceService } from '../connections/presence/presence.service.js';
import { isCallStillAllowed } from './call-access.service.js';
import { CALL_TRANSITION, calleeOf, callerOf, type VideoCall } from './video-call.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoCallRepository, type CallWithFamily } from './video-call.repository.js';

/** Milliseconds between two checks of a live call's parties, by any node. */
const CALL_CHECK_INTERVAL_MS = 5_000;
const CALL_CHECK_BATCH_SIZE = 200;
const DUE_CALLS_BATCH_SIZE = 100;

/** Ends calls that reach a timeout, or whose parties are disconnected or may no longer call each other. */
@Injectable()
export class CallMonitorService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
    private readonly presence: PresenceService,
    private readonly families: ConnectedFamiliesService,
    private readonly projections: GatewayProjections,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Ends calls at the ring timeout or the maximum duration. Any node can end any call, because the deadlines are stored
   * in the database.
   */
  @OnJob('gateway.video-calls.end-due-calls', { intervalMs: 500, queue: { entity: VideoCallEntity, dueAt: 'dueAt' } })
  async endDueCalls(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.endDueCallBatch())) === DUE_CALLS_BATCH_SIZE);
  }

  /**
   * Ends a call when a party has been disconnected for too long. Also ends a call when the parties may no longer call
   * each other, in case the event about the change of the family is delayed.
   */
  @OnJob('gateway.video-calls.check-parties', { intervalMs: 1_000 })
  async checkParties(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.checkCallBatch())) === CALL_CHECK_BATCH_SIZE);
  }

  private async endDueCallBatch(): Promise<number> {
    const due = await this.calls.claimDue(this.clock.now(), DUE_CALLS_BATCH_SIZE);
    for (const call of due) {
      const transition =
        call.state === CALL_STATE.RINGING ? CALL_TRANSITION.RINGING_TIMED_OUT : CALL_TRANSITION.DURATION_LIMIT;
      await this.transitions.apply(call, transition, null);
    }
    return due.length;
  }

  private async checkCallBatch(): Promise<number> {
    const now = this.clock.now();
    const claimed = await this.calls.claimUnchecked(now - CALL_CHECK_INTERVAL_MS, now, CALL_CHECK_BATCH_SIZE);
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
      await this.transitions.apply(call, CALL_TRANSITION.PERMISSION_LOST, null);
      return;
    }
    // A missing connection ends only accepted calls: while the call rings, a device may still be waking up.
    if (call.state !== CALL_STATE.ACCEPTED) return;
    const absentSince = online.has(callerOf(call)) && online.has(calleeOf(call)) ? null : (call.absentSince ?? now);
    if (absentSince !== null && now - absentSince >= PARTY_ABSENCE_TIMEOUT_MS) {
      await this.transitions.apply(call, CALL_TRANSITION.PARTY_DISCONNECTED, null);
      return;
    }
    if (absentSince !== call.absentSince) await this.calls.update({ ...call, absentSince } satisfies VideoCall);
  }
}
