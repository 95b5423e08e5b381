import { expect, test } from '@jest/globals';
import { SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import { SOS_TRANSITIONS } from './sos-state.js';
import type { SosTransition } from './sos-state.js';

const TRANSITIONS: SosTransition[] = ['NOTIFY', 'ACKNOWLEDGE', 'RESOLVE'];

/** Every state by every transition, in the order of TRANSITIONS; `-` changes nothing. */
const TABLE: Record<keyof typeof SOS_STATE, string> = {
  RAISED: 'NOTIFYING ACKNOWLEDGED RESOLVED',
  NOTIFYING: '- ACKNOWLEDGED RESOLVED',
  ACKNOWLEDGED: '- - RESOLVED',
  RESOLVED: '- - -',
};

const cells = Object.values(SOS_STATE).flatMap((state) =>
  TRANSITIONS.map((transition, column) => [state, transition, TABLE[state].split(' ')[column]] as const),
);

test.each(cells)('%s, %s: %s', (state, transition, outcome) => {
  const { from, to } = SOS_TRANSITIONS[transition];
  expect(from.includes(state) ? to : '-').toBe(outcome);
});

test('covers every transition', () => {
  expect(Object.keys(SOS_TRANSITIONS)).toEqual(TRANSITIONS);
});
