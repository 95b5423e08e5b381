import { describe, expect, it } from '@jest/globals';
import { closingLine } from './backing-services.reporter.js';

const counts = {
  numPassedTests: 12,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

describe('closing line', () => {
  it('names passed and failed tests', () => {
    expect(closingLine(counts)).toBe('12 passed, 0 failed');
  });

  it('counts a suite that could not run as a failure', () => {
    expect(closingLine({ ...counts, numFailedTests: 2, numRuntimeErrorTestSuites: 1 })).toBe('12 passed, 3 failed');
  });

  it('names skipped and planned tests when there are any', () => {
    expect(closingLine({ ...counts, numPendingTests: 2, numTodoTests: 1 })).toBe('12 passed, 0 failed, 3 skipped');
  });
});
