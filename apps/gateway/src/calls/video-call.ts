import { randomUUID } from 'node:crypto';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/message-center';
import {
  CALL_DIRECTION,
  MAX_CALL_DURATION_MS,
  CALL_STATE,
  RING_TIMEOUT_MS,
  VIDEO_PROVIDER,
  type CallState,
  type VideoProviderName,
} from '@family-watch/domain/messages/contracts/video-call';
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
    mediaEndDueAt: null,
    mediaFoundAt: null,
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
  const mediaEndDueAt = call.provider === VIDEO_PROVIDER.LIVEKIT ? now : null;
  return { ...call, state, revision, endedAt: now, dueAt: null, mediaEndDueAt };
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

/** Transitions of a call, caused by its parties, timeouts, lost connections or lost permissions. */
export const CALL_TRANSITION = {
  ACCEPT: 'ACCEPT',
  REJECT: 'REJECT',
  CALLER_HANGS_UP: 'CALLER_HANGS_UP',
  CALLEE_HANGS_UP: 'CALLEE_HANGS_UP',
  /** The call rang until the ring timeout. */
  RINGING_TIMED_OUT: 'RINGING_TIMED_OUT',
  /** The call reached its maximum duration. */
  DURATION_LIMIT: 'DURATION_LIMIT',
  /** A party has been disconnected for too long. */
  PARTY_DISCONNECTED: 'PARTY_DISCONNECTED',
  /** The parties may no longer call each other. */
  PERMISSION_LOST: 'PERMISSION_LOST',
} as const;
export type CallTransition = (typeof CALL_TRANSITION)[keyof typeof CALL_TRANSITION];

/**
 * Next state by state and transition; no other transition is allowed. A callee cannot hang up a ringing call, only
 * reject it. A ringing call does not end when a party has no connection, because the party's device may still be waking
 * up.
 */
const NEXT_STATES: Readonly<Partial<Record<CallState, Readonly<Partial<Record<CallTransition, CallState>>>>>> = {
  RINGING: {
    ACCEPT: 'ACCEPTED',
    REJECT: 'REJECTED',
    CALLER_HANGS_UP: 'CANCELLED',
    RINGING_TIMED_OUT: 'TIMED_OUT',
    PERMISSION_LOST: 'CANCELLED',
  },
  ACCEPTED: {
    CALLER_HANGS_UP: 'ENDED',
    CALLEE_HANGS_UP: 'ENDED',
    DURATION_LIMIT: 'ENDED',
    PARTY_DISCONNECTED: 'ENDED',
    PERMISSION_LOST: 'ENDED',
  },
};

/** Returns the state after the transition, or `null` if the transition is not allowed in this state. */
export function nextCallState(state: CallState, transition: CallTransition): CallState | null {
  return NEXT_STATES[state]?.[transition] ?? null;
}

/** Returns whether the call is ringing or accepted. */
export function isLiveCallState(state: CallState): boolean {
  return state === 'RINGING' || state === 'ACCEPTED';
}
