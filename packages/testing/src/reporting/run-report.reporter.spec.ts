import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { summaryLine, slowestSuites } from './run-report.reporter.js';

const COUNTS = {
  numPassedTests: 12,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

describe('summaryLine', () => {
  it('contains the numbers of passed and failed tests', () => {
    expect(summaryLine(COUNTS)).toBe('12 passed, 0 failed');
  });

  it('counts a suite that could not run as a failure', () => {
    expect(summaryLine({ ...COUNTS, numFailedTests: 2, numRuntimeErrorTestSuites: 1 })).toBe('12 passed, 3 failed');
  });

  it('contains the sum of skipped tests and todo tests if there are any', () => {
    expect(summaryLine({ ...COUNTS, numPendingTests: 2, numTodoTests: 1 })).toBe('12 passed, 0 failed, 3 skipped');
  });
});

describe('slowestSuites', () => {
  const suite = (name: string, runtime: number) => ({
    testFilePath: join(process.cwd(), name),
    perfStats: { runtime },
  });

  it('lists the slowest suites first with seconds and relative path', () => {
    const suites = [suite('quick.spec.ts', 40), suite('slow.spec.ts', 61_250), suite('medium.spec.ts', 1_000)];
    expect(slowestSuites(suites, 2)).toEqual(['    61.3 s  slow.spec.ts', '     1.0 s  medium.spec.ts']);
  });
});
