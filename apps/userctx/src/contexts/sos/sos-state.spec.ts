import { expect, test } from '@jest/globals';
import { SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import { SOS_TRANSITIONS } from './sos-state.js';
import type { SosTransition } from './sos-state.js';

const TRANSITIONS: SosTransition[] = ['NOTIFY', 'ACKNOWLEDGE', 'RESOLVE'];

/** The next state for each state and transition, in the order of TRANSITIONS. `-`: the transition has no effect. */
const EXPECTED_STATES: Record<keyof typeof SOS_STATE, string> = {
  RAISED: 'NOTIFYING ACKNOWLEDGED RESOLVED',
  NOTIFYING: '- ACKNOWLEDGED RESOLVED',
  ACKNOWLEDGED: '- - RESOLVED',
  RESOLVED: '- - -',
};

const TRANSITION_CASES = Object.values(SOS_STATE).flatMap((state) =>
  TRANSITIONS.map((transition, column) => [state, transition, EXPECTED_STATES[state].split(' ')[column]] as const),
);

test.each(TRANSITION_CASES)(
  'for an SOS in state %s, the transition %s leads to %s (-: no effect)',
  (state, transition, outcome) => {
    const { from, to } = SOS_TRANSITIONS[transition];
    expect(from.includes(state) ? to : '-').toBe(outcome);
  },
);

test('the test table covers every transition of an SOS', () => {
  expect(Object.keys(SOS_TRANSITIONS)).toEqual(TRANSITIONS);
});
