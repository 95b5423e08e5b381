import { describe, expect, test } from '@jest/globals';
import { CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import { CALL_TRANSITION, isLiveCallState, nextCallState } from './call-state.js';

const STATES = Object.values(CALL_STATE);
const STEPS = Object.values(CALL_TRANSITION);

/** The whole of what may happen; everything that is not here may not. */
const LEGAL: Readonly<Record<string, string>> = {
  'RINGING ACCEPT': 'ACCEPTED',
  'RINGING REJECT': 'REJECTED',
  'RINGING CALLER_HANGS_UP': 'CANCELLED',
  'RINGING RING_OUT': 'TIMED_OUT',
  'RINGING LOSE_RIGHT': 'CANCELLED',
  'ACCEPTED CALLER_HANGS_UP': 'ENDED',
  'ACCEPTED CALLEE_HANGS_UP': 'ENDED',
  'ACCEPTED REACH_LIMIT': 'ENDED',
  'ACCEPTED LOSE_PARTY': 'ENDED',
  'ACCEPTED LOSE_RIGHT': 'ENDED',
};

describe('the states of a call', () => {
  test.each(STATES.flatMap((state) => STEPS.map((step) => [state, step] as const)))('%s, %s', (state, step) => {
    expect(nextCallState(state, step)).toBe(LEGAL[`${state} ${step}`] ?? null);
  });

  test('a call that is over stays so, and one that is live can end', () => {
    for (const state of STATES) {
      const next = STEPS.flatMap((step) => nextCallState(state, step) ?? []);
      expect(next.length > 0).toBe(isLiveCallState(state));
      expect(next).not.toContain(state);
      expect(next).not.toContain('RINGING');
    }
  });

  test('nothing but a person who accepts makes a picture', () => {
    for (const state of STATES) {
      for (const step of STEPS.filter((one) => one !== 'ACCEPT'))
        expect(nextCallState(state, step)).not.toBe('ACCEPTED');
    }
  });
});
