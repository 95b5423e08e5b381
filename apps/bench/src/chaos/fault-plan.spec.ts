import { expect, test } from '@jest/globals';
import { FAULTS, planFaults } from './fault-plan.js';
import type { Fault } from './fault-plan.js';

const FAULT_COUNT = 5 * FAULTS.length;

function faultsOf(seed: number): Fault[] {
  const faults = planFaults(seed);
  return Array.from({ length: FAULT_COUNT }, () => faults.next().value as Fault);
}

test('plans the same faults for the same seed and different faults for another seed', () => {
  expect(faultsOf(7)).toEqual(faultsOf(7));
  expect(faultsOf(7)).not.toEqual(faultsOf(8));
});

test('plans every kind of fault once before a kind is repeated', () => {
  const kinds = faultsOf(7).map(({ kind }) => kind);
  for (let start = 0; start < FAULT_COUNT; start += FAULTS.length)
    expect(kinds.slice(start, start + FAULTS.length).toSorted()).toEqual([...FAULTS].toSorted());
});
