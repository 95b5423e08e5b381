import type { CallState } from '@family-watch/domain/messages/contracts/video-call';

/** Everything that can happen to a call: by its parties, by the clock, and by what becomes of the parties. */
export const CALL_TRANSITION = {
  ACCEPT: 'ACCEPT',
  REJECT: 'REJECT',
  CALLER_HANGS_UP: 'CALLER_HANGS_UP',
  CALLEE_HANGS_UP: 'CALLEE_HANGS_UP',
  /** It rang for as long as a call rings. */
  RING_OUT: 'RING_OUT',
  /** It lasted for as long as a call may last. */
  REACH_LIMIT: 'REACH_LIMIT',
  /** A party is not connected for too long. */
  LOSE_PARTY: 'LOSE_PARTY',
  /** One of the two may not call the other any more. */
  LOSE_RIGHT: 'LOSE_RIGHT',
} as const;
export type CallTransition = (typeof CALL_TRANSITION)[keyof typeof CALL_TRANSITION];

const NOTHING: Readonly<Record<CallTransition, null>> = {
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
 * Where each step leads; `null`: not from here. A callee that does not want a ringing call rejects it, and a ringing
 * call waits for a party without connection: its device may be waking up.
 */
const NEXT: Readonly<Record<CallState, Readonly<Record<CallTransition, CallState | null>>>> = {
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
  REJECTED: NOTHING,
  BUSY: NOTHING,
  CANCELLED: NOTHING,
  TIMED_OUT: NOTHING,
  ENDED: NOTHING,
};

/** The state that the step leads to; `null` where it is none of this state. */
export function nextCallState(state: CallState, step: CallTransition): CallState | null {
  return NEXT[state][step];
}

/** Does the call ring or go on? */
export function isLiveCallState(state: CallState): boolean {
  return state === 'RINGING' || state === 'ACCEPTED';
}
