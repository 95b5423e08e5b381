import { Inject, Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CALL_STATE, MAX_SIGNALS_PER_CALL } from '@family-watch/domain/messages/contracts/video-call';
import type {
  CallJoinDto,
  CallStatusDto,
  CallTargetDto,
  SignalVideoCallDto,
} from '@family-watch/domain/messages/dto/video-call.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK, GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import { CallAccessService } from './call-access.service.js';
import { CallTransitionsService } from './call-transitions.service.js';
import {
  CALL_TRANSITION,
  isLiveCallState,
  isDeviceOfCall,
  withCallState,
  createRingingCall,
  type VideoCall,
} from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';
import { VideoProvider } from './video-provider.js';

/**
 * Operations of the two parties on a call. Each operation stores the changed call and the notices to both parties in
 * one transaction.
 */
@Injectable()
export class VideoCallsService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly access: CallAccessService,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
    private readonly provider: VideoProvider,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Starts a ringing call. If one of the parties already has a live call, stores a BUSY call, which only appears in the
   * call log. Throws the same errors as `CallAccessService.resolveParties`.
   */
  async create(caller: Principal, to: CallTargetDto): Promise<CallStatusDto> {
    return this.unitOfWork.run(async () => {
      const parties = await this.access.resolveParties(caller, to);
      const now = this.clock.now();
      const ringing = createRingingCall(parties, caller, this.provider.name, now);
      const isRinging = await this.calls.insert(ringing);
      const call = isRinging ? ringing : withCallState(ringing, CALL_STATE.BUSY, now);
      if (!isRinging) await this.calls.insert(call);
      await this.transitions.sendState(call, principalKey(caller), now);
      return toCallStatus(call);
    });
  }

  /**
   * Accepts a ringing call for the callee's first device that accepts the call; idempotent for that device.
   * @throws ServiceError CALL_NOT_FOUND
   * @throws ServiceError CALL_STATE for the calling party, after another device has accepted, or if the call does not
   * ring
   */
  async accept(caller: Principal, callId: string): Promise<CallStatusDto> {
    return this.unitOfWork.run(async () => {
      const { call, role } = await this.access.lock(caller, callId);
      if (role !== 'CALLEE') throw new ServiceError('CALL_STATE');
      if (call.state === CALL_STATE.ACCEPTED && isDeviceOfCall(call, caller)) return toCallStatus(call);
      // The call has timed out, but the job that ends it may be late.
      if (call.dueAt !== null && call.dueAt <= this.clock.now()) throw new ServiceError('CALL_STATE');
      return toCallStatus(
        await this.transitions.apply(call, CALL_TRANSITION.ACCEPT, principalKey(caller), caller.sessionId),
      );
    });
  }

  /**
   * @throws ServiceError CALL_NOT_FOUND
   * @throws ServiceError CALL_STATE for the calling party, or if the call does not ring
   */
  async reject(caller: Principal, callId: string): Promise<CallStatusDto> {
    return this.unitOfWork.run(async () => {
      const { call, role } = await this.access.lock(caller, callId);
      if (role !== 'CALLEE') throw new ServiceError('CALL_STATE');
      return toCallStatus(await this.transitions.apply(call, CALL_TRANSITION.REJECT, principalKey(caller)));
    });
  }

  /**
   * @throws ServiceError CALL_NOT_FOUND
   * @throws ServiceError CALL_STATE if the call has ended, or for the callee while the call rings
   */
  async hangUp(caller: Principal, callId: string): Promise<CallStatusDto> {
    return this.unitOfWork.run(async () => {
      const { call, role } = await this.access.lock(caller, callId);
      const transition = role === 'CALLER' ? CALL_TRANSITION.CALLER_HANGS_UP : CALL_TRANSITION.CALLEE_HANGS_UP;
      return toCallStatus(await this.transitions.apply(call, transition, principalKey(caller)));
    });
  }

  /**
   * Relays a signal to the other party. The lock on the call keeps signals in order of arrival.
   * @throws ServiceError CALL_NOT_FOUND
   * @throws ServiceError CALL_STATE for a device that has neither called nor accepted, or if the call has ended
   * @throws ServiceError LIMIT_REACHED after {@link MAX_SIGNALS_PER_CALL}
   */
  async signal(caller: Principal, { callId, signal: { type, data } }: SignalVideoCallDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { call, role } = await this.access.lock(caller, callId);
      if (!isLiveCallState(call.state) || !isDeviceOfCall(call, caller)) throw new ServiceError('CALL_STATE');
      if (call.signalCount >= MAX_SIGNALS_PER_CALL) throw new ServiceError('LIMIT_REACHED');
      const updated = { ...call, revision: call.revision + 1, signalCount: call.signalCount + 1 };
      await this.calls.update(updated);
      this.transitions.relay(updated, role, { type, data }, this.clock.now());
    });
  }

  /**
   * Issues media credentials to the calling and the accepting device while the call is live.
   * @throws ServiceError CALL_NOT_FOUND
   * @throws ServiceError CALL_STATE for a device that may not join
   * @throws ServiceError VIDEO_UNAVAILABLE
   */
  async getJoin(caller: Principal, callId: string): Promise<CallJoinDto> {
    const join = await this.findJoin(caller, callId);
    if (join === null) throw new ServiceError('CALL_STATE');
    return join;
  }

  /**
   * Returns media credentials; `null` for a device that may not join.
   * @throws ServiceError CALL_NOT_FOUND
   * @throws ServiceError VIDEO_UNAVAILABLE
   */
  async findJoin(caller: Principal, callId: string): Promise<CallJoinDto | null> {
    const call = isUuid(callId) ? await this.calls.find(callId) : null;
    await this.access.roleIn(call, caller);
    const { state, provider } = call as VideoCall;
    if (!isLiveCallState(state) || !isDeviceOfCall(call as VideoCall, caller)) return null;
    // The call started before the video provider was reconfigured: the other party uses the previous provider.
    if (provider !== this.provider.name) throw new ServiceError('VIDEO_UNAVAILABLE');
    return this.provider.join(callId, principalKey(caller));
  }
}

function toCallStatus({ callId, state, provider }: VideoCall): CallStatusDto {
  return { callId, state, provider };
}
