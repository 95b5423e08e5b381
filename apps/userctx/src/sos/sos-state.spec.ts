import { expect, test } from '@jest/globals';
import { SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import { plausibleTime, SOS_TRANSITIONS, type SosTransition } from './sos-state.js';

const NOW = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

test.each([
  ['an SOS that arrives an hour late because of a missing network', NOW - HOUR_MS],
  ['an SOS that arrives a day late', NOW - 24 * HOUR_MS],
  ['an SOS of a watch whose clock is 30 seconds ahead', NOW + 30_000],
])('plausibleTime returns the time of %s', (_, reportedAt) => {
  expect(plausibleTime(reportedAt, NOW)).toBe(reportedAt);
});

test.each([
  ['the watch sends no time', undefined],
  ['the watch sends a text', String(NOW)],
  ['the watch sends a fraction', NOW - 0.5],
  ["the watch's clock shows 1970", 0],
  ['the SOS is more than a day old', NOW - 24 * HOUR_MS - 1],
  ["the watch's clock is a year ahead", NOW + 9_000 * HOUR_MS],
])('plausibleTime returns null when %s', (_, reportedAt) => {
  expect(plausibleTime(reportedAt, NOW)).toBeNull();
});

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

test('TRANSITIONS of this test lists every transition of an SOS', () => {
  expect(Object.keys(SOS_TRANSITIONS)).toEqual(TRANSITIONS);
});
