import { describe, expect, test } from '@jest/globals';
import { CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import { CALL_TRANSITION, isLiveCallState, nextCallState } from './video-call.js';

const STATES = Object.values(CALL_STATE);
const TRANSITIONS = Object.values(CALL_TRANSITION);

/** All allowed transitions with their next state. */
const ALLOWED_TRANSITIONS: Readonly<Record<string, string>> = {
  'RINGING ACCEPT': 'ACCEPTED',
  'RINGING REJECT': 'REJECTED',
  'RINGING CALLER_HANGS_UP': 'CANCELLED',
  'RINGING RINGING_TIMED_OUT': 'TIMED_OUT',
  'RINGING PERMISSION_LOST': 'CANCELLED',
  'ACCEPTED CALLER_HANGS_UP': 'ENDED',
  'ACCEPTED CALLEE_HANGS_UP': 'ENDED',
  'ACCEPTED DURATION_LIMIT': 'ENDED',
  'ACCEPTED PARTY_DISCONNECTED': 'ENDED',
  'ACCEPTED PERMISSION_LOST': 'ENDED',
};

describe('nextCallState', () => {
  test.each(STATES.flatMap((state) => TRANSITIONS.map((transition) => [state, transition] as const)))(
    'returns the state that follows %s after the transition %s, or null if the transition is not allowed',
    (state, transition) => {
      expect(nextCallState(state, transition)).toBe(ALLOWED_TRANSITIONS[`${state} ${transition}`] ?? null);
    },
  );

  test('allows no transition from a final state, and at least one from each live state', () => {
    for (const state of STATES) {
      const next = TRANSITIONS.flatMap((transition) => nextCallState(state, transition) ?? []);
      expect(next.length > 0).toBe(isLiveCallState(state));
      expect(next).not.toContain(state);
      expect(next).not.toContain('RINGING');
    }
  });

  test('reaches ACCEPTED only by the ACCEPT transition', () => {
    for (const state of STATES) {
      for (const transition of TRANSITIONS.filter((candidate) => candidate !== 'ACCEPT'))
        expect(nextCallState(state, transition)).not.toBe('ACCEPTED');
    }
  });
});
