import { describe, expect, test } from '@jest/globals';
import { CALL_STATE } from '@family-watch/domain/messages/contracts/video-call';
import { CALL_STEP, isLive, nextState } from './call-state.js';

const STATES = Object.values(CALL_STATE);
const STEPS = Object.values(CALL_STEP);

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
    expect(nextState(state, step)).toBe(LEGAL[`${state} ${step}`] ?? null);
  });

  test('a call that is over stays so, and one that is live can end', () => {
    for (const state of STATES) {
      const next = STEPS.flatMap((step) => nextState(state, step) ?? []);
      expect(next.length > 0).toBe(isLive(state));
      expect(next).not.toContain(state);
      expect(next).not.toContain('RINGING');
    }
  });

  test('nothing but a person who accepts makes a picture', () => {
    for (const state of STATES) {
      for (const step of STEPS.filter((one) => one !== 'ACCEPT')) expect(nextState(state, step)).not.toBe('ACCEPTED');
    }
  });
});
