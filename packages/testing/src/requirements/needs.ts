import { describe, test } from '@jest/globals';
import { countInRun } from '../reporting/run-counters.js';
import { findMissing, type Requirement } from './requirements.js';

/** What no package provides: these tests are skipped in CI too. */
const RIGHTS: readonly Requirement[] = ['linux', 'root', 'mount', 'nobody'];

/** How a suite declares its tests. The members are jest's functions if nothing is missing. */
export interface Needs {
  describe(name: string, suite: () => void): void;
  test(name: string, run: () => Promise<void> | void): void;
}

/**
 * Declares what the tests need of the machine. Tests without it are skipped, with the reason in their title, and counted
 * at the end of the run. With the variable TEST_NEEDS=all, as in CI, tests without a program or server fail instead; also
 * without NATS if TEST_NATS_URL is set.
 */
export function needs(...requirements: Requirement[]): Needs {
  const unmet = requirements.filter((requirement) => findMissing(requirement) !== undefined);
  const [first] = unmet.toSorted((one, other) => Number(isRequired(other)) - Number(isRequired(one)));
  if (first === undefined) {
    if (requirements.includes('nats')) countInRun('nats-suites');
    return { describe, test };
  }
  const missing = findMissing(first);
  const titleOf = (name: string) => `${name} (not run: ${missing})`;
  if (isRequired(first)) {
    const fail = (name: string) =>
      test(titleOf(name), () => {
        throw new Error(missing);
      });
    return { describe: fail, test: fail };
  }
  countInRun(`without ${first}`);
  return {
    describe: (name, suite) => describe.skip(titleOf(name), suite),
    test: (name, run) => test.skip(titleOf(name), run),
  };
}

function isRequired(requirement: Requirement): boolean {
  if (requirement === 'nats' && process.env['TEST_NATS_URL'] !== undefined) return true;
  return process.env['TEST_NEEDS'] === 'all' && !RIGHTS.includes(requirement);
}
