import { Inject, Injectable } from '@nestjs/common';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CALL_STATE, MAX_SIGNALS_PER_CALL } from '@family-watch/domain/messages/contracts/video-call';
import type { CallStatus } from '@family-watch/domain/messages/contracts/video-call';
import type { CallTargetDto, SignalVideoCallDto } from '@family-watch/domain/messages/dto/video-call.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { CallAccessService } from './call-access.service.js';
import { CallNoticesService } from './call-notices.service.js';
import { CALL_TRANSITION, isLiveCallState } from './call-state.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoProvider } from './providers/video-provider.js';
import { isDeviceOfCall, withCallState, createRingingCall } from './video-call.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';

/** What the two parties do with a call. Each change is stored and told to both in one unit of work. */
@Injectable()
export class VideoCallsService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly access: CallAccessService,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
    private readonly notices: CallNoticesService,
    private readonly provider: VideoProvider,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rings, unless one of the two has a call: then it is BUSY, and only the log keeps it. Throws like `pairFor`. */
  async create(caller: Principal, to: CallTargetDto): Promise<CallStatus> {
    return this.unitOfWork.run(async () => {
      const pair = await this.access.resolveParties(caller, to);
      const now = this.clock.now();
      const ringing = createRingingCall(pair, caller, this.provider.name, now);
      const rings = await this.calls.insert(ringing);
      const call = rings ? ringing : withCallState(ringing, CALL_STATE.BUSY, now);
      if (!rings) await this.calls.insert(call);
      await this.notices.sendState(call, principalKey(caller), now);
      return standingOf(call);
    });
  }

  /**
   * The device that comes first has the call; asked again, it is told the same.
   * @throws ServiceError CALL_NOT_FOUND; CALL_STATE for the caller, for another device, and when it rings no longer
   */
  async accept(caller: Principal, callId: string): Promise<CallStatus> {
    return this.unitOfWork.run(async () => {
      const { call, role } = await this.access.lock(caller, callId);
      if (role !== 'CALLEE') throw new ServiceError('CALL_STATE');
      if (call.state === CALL_STATE.ACCEPTED && isDeviceOfCall(call, caller)) return standingOf(call);
      // The job that ends it may be a moment late.
      if (call.dueAt !== null && call.dueAt <= this.clock.now()) throw new ServiceError('CALL_STATE');
      return standingOf(
        await this.transitions.apply(call, CALL_TRANSITION.ACCEPT, principalKey(caller), caller.sessionId),
      );
    });
  }

  /** @throws ServiceError CALL_NOT_FOUND; CALL_STATE for the caller, and when it rings no longer */
  async reject(caller: Principal, callId: string): Promise<CallStatus> {
    return this.unitOfWork.run(async () => {
      const { call, role } = await this.access.lock(caller, callId);
      if (role !== 'CALLEE') throw new ServiceError('CALL_STATE');
      return standingOf(await this.transitions.apply(call, CALL_TRANSITION.REJECT, principalKey(caller)));
    });
  }

  /** @throws ServiceError CALL_NOT_FOUND; CALL_STATE when it is over, and for a callee whom it still rings for */
  async hangUp(caller: Principal, callId: string): Promise<CallStatus> {
    return this.unitOfWork.run(async () => {
      const { call, role } = await this.access.lock(caller, callId);
      const step = role === 'CALLER' ? CALL_TRANSITION.CALLER_HANGS_UP : CALL_TRANSITION.CALLEE_HANGS_UP;
      return standingOf(await this.transitions.apply(call, step, principalKey(caller)));
    });
  }

  /**
   * Relays a signal to the other party. The lock on the call keeps signals in the order in which they came.
   * @throws ServiceError CALL_NOT_FOUND; CALL_STATE from a device that has not accepted, or when the call is over;
   * LIMIT_REACHED after {@link MAX_SIGNALS_PER_CALL}
   */
  async signal(caller: Principal, { callId, signal: { type, data } }: SignalVideoCallDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { call, role } = await this.access.lock(caller, callId);
      if (!isLiveCallState(call.state) || !isDeviceOfCall(call, caller)) throw new ServiceError('CALL_STATE');
      if (call.signals >= MAX_SIGNALS_PER_CALL) throw new ServiceError('LIMIT_REACHED');
      const signalled = { ...call, revision: call.revision + 1, signals: call.signals + 1 };
      await this.calls.update(signalled);
      this.notices.relay(signalled, role, { type, data }, this.clock.now());
    });
  }
}

function standingOf({ callId, state, provider }: VideoCall): CallStatus {
  return { callId, state, provider };
}
