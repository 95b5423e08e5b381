import { describe, expect, test } from '@jest/globals';
import { ORDER_STATE } from '@family-watch/domain/payments/contracts/payment';
import { ORDER_TRANSITIONS, pauseMs, type OrderTransition } from './order-state.js';

const TRANSITIONS: OrderTransition[] = [
  'START',
  'PAY',
  'FULFIL',
  'FAIL',
  'CLOSE',
  'REFUND',
  'RETURN',
  'COMPLETE_REFUND',
];

/** The next state for each state and transition, in the order of TRANSITIONS. `-`: the transition has no effect. */
const EXPECTED_STATES: Record<keyof typeof ORDER_STATE, string> = {
  CREATED: 'PENDING PAID - FAILED CLOSED - - -',
  PENDING: '- PAID - FAILED CLOSED - - -',
  PAID: '- - FULFILLED - - REFUNDING - -',
  FULFILLED: '- - - - - REFUNDING - -',
  FAILED: '- - - - - - REFUNDING -',
  CLOSED: '- - - - - - REFUNDING -',
  REFUNDING: '- - - - - - - REFUNDED',
  REFUNDED: '- - - - - - - -',
};

describe('order transitions', () => {
  const cells = Object.values(ORDER_STATE).flatMap((state) =>
    TRANSITIONS.map((transition, column) => [state, transition, EXPECTED_STATES[state].split(' ')[column]] as const),
  );

  test.each(cells)('in state %s, the transition %s leads to %s (-: no effect)', (state, transition, outcome) => {
    const { from, to } = ORDER_TRANSITIONS[transition];
    expect(from.includes(state) ? to : '-').toBe(outcome);
  });

  test('TRANSITIONS of this test lists every transition of an order', () => {
    expect(Object.keys(ORDER_TRANSITIONS)).toEqual(TRANSITIONS);
  });
});

test('the pauses between two questions to the provider double from ten seconds to one hour', () => {
  expect([0, 1, 2, 3, 9, 10, 100].map(pauseMs)).toEqual([
    10_000, 10_000, 20_000, 40_000, 2_560_000, 3_600_000, 3_600_000,
  ]);
});
