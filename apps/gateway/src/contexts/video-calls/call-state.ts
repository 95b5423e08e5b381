import type { CallState } from '@family-watch/domain/messages/contracts/video-call';

/** Transitions of a call, caused by its parties, timeouts, lost connections or lost permissions. */
export const CALL_TRANSITION = {
  ACCEPT: 'ACCEPT',
  REJECT: 'REJECT',
  CALLER_HANGS_UP: 'CALLER_HANGS_UP',
  CALLEE_HANGS_UP: 'CALLEE_HANGS_UP',
  /** The call rang until the ring timeout. */
  RING_OUT: 'RING_OUT',
  /** The call reached its maximum duration. */
  REACH_LIMIT: 'REACH_LIMIT',
  /** A party has been disconnected for too long. */
  LOSE_PARTY: 'LOSE_PARTY',
  /** The parties may no longer call each other. */
  LOSE_RIGHT: 'LOSE_RIGHT',
} as const;
export type CallTransition = (typeof CALL_TRANSITION)[keyof typeof CALL_TRANSITION];

const NO_TRANSITIONS: Readonly<Record<CallTransition, null>> = {
  ACCEPT: null,
  REJECT: null,
  CALLER_HANGS_UP: null,
  CALLEE_HANGS_UP: null,
  RING_OUT: null,
  REACH_LIMIT: null,
  LOSE_PARTY: null,
  LOSE_RIGHT: null,
};

/**
 * Next state by state and transition, or `null` if the transition is not allowed. A callee cannot hang up a ringing
 * call, only reject it. A ringing call does not end when a party has no connection, because the party's device may
 * still be waking up.
 */
const NEXT_STATES: Readonly<Record<CallState, Readonly<Record<CallTransition, CallState | null>>>> = {
  RINGING: {
    ACCEPT: 'ACCEPTED',
    REJECT: 'REJECTED',
    CALLER_HANGS_UP: 'CANCELLED',
    CALLEE_HANGS_UP: null,
    RING_OUT: 'TIMED_OUT',
    REACH_LIMIT: null,
    LOSE_PARTY: null,
    LOSE_RIGHT: 'CANCELLED',
  },
  ACCEPTED: {
    ACCEPT: null,
    REJECT: null,
    CALLER_HANGS_UP: 'ENDED',
    CALLEE_HANGS_UP: 'ENDED',
    RING_OUT: null,
    REACH_LIMIT: 'ENDED',
    LOSE_PARTY: 'ENDED',
    LOSE_RIGHT: 'ENDED',
  },
  REJECTED: NO_TRANSITIONS,
  BUSY: NO_TRANSITIONS,
  CANCELLED: NO_TRANSITIONS,
  TIMED_OUT: NO_TRANSITIONS,
  ENDED: NO_TRANSITIONS,
};

/** Returns the state after the transition, or `null` if the transition is not allowed in this state. */
export function nextCallState(state: CallState, transition: CallTransition): CallState | null {
  return NEXT_STATES[state][transition];
}

/** Returns whether the call is ringing or accepted. */
export function isLiveCallState(state: CallState): boolean {
  return state === 'RINGING' || state === 'ACCEPTED';
}
