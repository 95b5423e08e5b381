import { randomUUID } from 'node:crypto';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/message-center';
import {
  CALL_DIRECTION,
  MAX_CALL_DURATION_MS,
  CALL_STATE,
  RING_TIMEOUT_MS,
} from '@family-watch/domain/messages/contracts/video-call';
import type { CallState, VideoProviderName } from '@family-watch/domain/messages/contracts/video-call';
import type { VideoCallEntity } from '@family-watch/domain/messages/entities/video-call.entity';

/** The two parties of a call: a member, and the watch of a child. */
export type CallParties = Pick<VideoCallEntity, 'familyId' | 'cid' | 'did' | 'userId' | 'direction'>;

/** A call as stored. */
export type VideoCall = Omit<VideoCallEntity, 'checkedAt'>;

export type CallRole = 'CALLER' | 'CALLEE';

export function createRingingCall(
  parties: CallParties,
  caller: Principal,
  provider: VideoProviderName,
  now: number,
): VideoCall {
  return {
    ...parties,
    callId: randomUUID(),
    callerSession: caller.sessionId,
    acceptedSession: null,
    provider,
    state: CALL_STATE.RINGING,
    createdAt: now,
    acceptedAt: null,
    endedAt: null,
    dueAt: now + RING_TIMEOUT_MS,
    absentSince: null,
    revision: 0,
    signalCount: 0,
  };
}

/** Returns the call in its new state, with updated times and revision. */
export function withCallState(call: VideoCall, state: CallState, now: number): VideoCall {
  const revision = call.revision + 1;
  if (state === CALL_STATE.ACCEPTED) {
    return { ...call, state, revision, acceptedAt: now, dueAt: now + MAX_CALL_DURATION_MS, absentSince: null };
  }
  return { ...call, state, revision, endedAt: now, dueAt: null };
}

export function callerOf({ direction, did, userId }: CallParties): PrincipalKey {
  return direction === CALL_DIRECTION.FROM_WATCH ? `watch:${did}` : `user:${userId}`;
}

export function calleeOf({ direction, did, userId }: CallParties): PrincipalKey {
  return direction === CALL_DIRECTION.FROM_WATCH ? `user:${userId}` : `watch:${did}`;
}

/** Returns the principal's role in the call, or `undefined` if the principal is not a party of the call. */
export function callRoleOf(call: CallParties, principal: Principal): CallRole | undefined {
  const key = principalKey(principal);
  if (key === callerOf(call)) return 'CALLER';
  return key === calleeOf(call) ? 'CALLEE' : undefined;
}

/**
 * Returns whether the principal's session is the calling or the accepting device. All tokens of a watch identify the
 * same device. Returns true only for the calling device before the call is accepted.
 */
export function isDeviceOfCall(call: VideoCall, principal: Principal): boolean {
  const role = callRoleOf(call, principal);
  if (role === 'CALLER') return principal.type === 'watch' || principal.sessionId === call.callerSession;
  if (role !== 'CALLEE' || call.acceptedSession === null) return false;
  return principal.type === 'watch' || principal.sessionId === call.acceptedSession;
}

/** Returns the delivery subject: recipients are the child's watch and the members who may call the child. */
export function callDeliverySubject({ familyId, cid }: CallParties): DeliverySubject {
  return { familyId, cid, audience: 'CALL' };
}
