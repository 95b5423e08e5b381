import { randomUUID } from 'node:crypto';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import {
  CALL_DIRECTION,
  MAX_CALL_DURATION_MS,
  CALL_STATE,
  RING_TIMEOUT_MS,
} from '@family-watch/domain/messages/contracts/video-call';
import type { CallDirection, CallState, VideoProviderName } from '@family-watch/domain/messages/contracts/video-call';
import type { DeliverySubject } from '../../protocol/delivery-access.js';

/** A person and the watch of a child, one of whom calls the other. */
export interface CallParties {
  familyId: string;
  cid: string;
  did: number;
  userId: string;
  direction: CallDirection;
}

/** Times in Unix milliseconds. */
export interface VideoCall extends CallParties {
  callId: string;
  /** The session that called, and the one that accepted: picture and signals are theirs alone. */
  callerSession: string;
  acceptedSession: string | null;
  provider: VideoProviderName;
  state: CallState;
  createdAt: number;
  acceptedAt: number | null;
  endedAt: number | null;
  /** When it ends by itself as things are; `null` for one that is over. */
  dueAt: number | null;
  /** Since when one of the parties is not connected, as far as somebody has looked. */
  absentSince: number | null;
  /** Counts what the parties were told of it. */
  revision: number;
  signals: number;
}

export type CallRole = 'CALLER' | 'CALLEE';

export function createRingingCall(
  pair: CallParties,
  caller: Principal,
  provider: VideoProviderName,
  now: number,
): VideoCall {
  return {
    ...pair,
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
    signals: 0,
  };
}

/** The call in its new state, with the times that follow from it. */
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

/** What the principal is in this call; `undefined` for somebody else. */
export function callRoleOf(call: CallParties, principal: Principal): CallRole | undefined {
  const key = principalKey(principal);
  if (key === callerOf(call)) return 'CALLER';
  return key === calleeOf(call) ? 'CALLEE' : undefined;
}

/**
 * Is this the device of its party that the picture belongs to? A watch is one device whichever of its tokens it
 * comes with. Nobody is one before the call was accepted, except the device that calls.
 */
export function isDeviceOfCall(call: VideoCall, principal: Principal): boolean {
  const role = callRoleOf(call, principal);
  if (role === 'CALLER') return principal.type === 'watch' || principal.sessionId === call.callerSession;
  if (role !== 'CALLEE' || call.acceptedSession === null) return false;
  return principal.type === 'watch' || principal.sessionId === call.acceptedSession;
}

/** Who may hear of the call: the child's watch, and members who may call the child. */
export function callDeliverySubject({ familyId, cid }: CallParties): DeliverySubject {
  return { familyId, cid, audience: 'CALL' };
}
