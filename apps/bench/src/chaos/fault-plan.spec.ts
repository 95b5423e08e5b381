import { expect, test } from '@jest/globals';
import { FAULT_KINDS, planFaults, type Fault } from './fault-plan.js';

const FAULT_COUNT = 5 * FAULT_KINDS.length;

function faultsOf(seed: number): Fault[] {
  const faults = planFaults(seed);
  return Array.from({ length: FAULT_COUNT }, () => faults.next().value as Fault);
}

test('planFaults yields the same faults for the same seed and different faults for another seed', () => {
  expect(faultsOf(7)).toEqual(faultsOf(7));
  expect(faultsOf(7)).not.toEqual(faultsOf(8));
});

test('planFaults yields every kind of fault once before it repeats a kind', () => {
  const kinds = faultsOf(7).map(({ kind }) => kind);
  for (let start = 0; start < FAULT_COUNT; start += FAULT_KINDS.length)
    expect(kinds.slice(start, start + FAULT_KINDS.length).toSorted()).toEqual([...FAULT_KINDS].toSorted());
});
