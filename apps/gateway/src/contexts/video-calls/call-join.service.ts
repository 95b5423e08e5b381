import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { CallJoin } from '@family-watch/domain/messages/contracts/video-call';
import { CallAccessService } from './call-access.service.js';
import { isLiveCallState } from './call-state.js';
import { VideoProvider } from './providers/video-provider.js';
import { isDeviceOfCall } from './video-call.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';

/** Issues media credentials to the calling and the accepting device while the call is live. */
@Injectable()
export class CallJoinService {
  constructor(
    private readonly access: CallAccessService,
    private readonly calls: VideoCallRepository,
    private readonly provider: VideoProvider,
  ) {}

  /**
   * @throws ServiceError CALL_NOT_FOUND
   * @throws ServiceError CALL_STATE for a device that may not join
   * @throws ServiceError VIDEO_UNAVAILABLE
   */
  async get(caller: Principal, callId: string): Promise<CallJoin> {
    const join = await this.find(caller, callId);
    if (join === null) throw new ServiceError('CALL_STATE');
    return join;
  }

  /**
   * Returns media credentials; `null` for a device that may not join.
   * @throws ServiceError CALL_NOT_FOUND
   * @throws ServiceError VIDEO_UNAVAILABLE
   */
  async find(caller: Principal, callId: string): Promise<CallJoin | null> {
    const call = isUuid(callId) ? await this.calls.find(callId) : null;
    await this.access.roleIn(call, caller);
    const { state, provider } = call as VideoCall;
    if (!isLiveCallState(state) || !isDeviceOfCall(call as VideoCall, caller)) return null;
    // The call started before the video provider was reconfigured: the other party uses the previous provider.
    if (provider !== this.provider.name) throw new ServiceError('VIDEO_UNAVAILABLE');
    return this.provider.join(callId, principalKey(caller));
  }
}
