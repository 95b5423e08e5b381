import { expect, test } from '@jest/globals';
import { SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import { SOS_TRANSITIONS } from './sos-state.js';
import type { SosTransition } from './sos-state.js';

const SIGNALS: SosTransition[] = ['NOTIFY', 'ACKNOWLEDGE', 'RESOLVE'];

/** Every state by every signal, in the order of SIGNALS; `-` changes nothing. */
const TABLE: Record<keyof typeof SOS_STATE, string> = {
  RAISED: 'NOTIFYING ACKNOWLEDGED RESOLVED',
  NOTIFYING: '- ACKNOWLEDGED RESOLVED',
  ACKNOWLEDGED: '- - RESOLVED',
  RESOLVED: '- - -',
};

const cells = Object.values(SOS_STATE).flatMap((state) =>
  SIGNALS.map((signal, column) => [state, signal, TABLE[state].split(' ')[column]] as const),
);

test.each(cells)('%s, %s: %s', (state, signal, outcome) => {
  const { from, to } = SOS_TRANSITIONS[signal];
  expect(from.includes(state) ? to : '-').toBe(outcome);
});

test('no signal is left out', () => {
  expect(Object.keys(SOS_TRANSITIONS)).toEqual(SIGNALS);
});
