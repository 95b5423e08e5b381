import { relative } from 'node:path';
import { DATABASE_DESCRIPTION_VARIABLE } from '../database/test-server.js';
import { findMissing, REQUIREMENT_NAMES } from '../requirements/requirements.js';
import { natsUrl } from '../service/nats-url.js';
import { readRunCounter } from './run-counters.js';

/** Number of suites that the report lists. */
const SLOWEST_SUITE_COUNT = 20;

/** The part of jest's results that the report contains. */
interface RunResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
  /** `runtime` is in milliseconds. */
  readonly testResults: readonly { readonly testFilePath: string; readonly perfStats: { readonly runtime: number } }[];
}

/**
 * Returns the last line of a run's report. A suite that could not run counts as one failure, because jest does not
 * count the tests of the suite.
 */
function summaryLine(counts: RunResults): string {
  const skipped = counts.numPendingTests + counts.numTodoTests;
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  return `${counts.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Returns one line per suite with seconds and path, the slowest first. */
function slowestSuites({ testResults }: RunResults): string[] {
  return testResults
    .toSorted((a, b) => b.perfStats.runtime - a.perfStats.runtime)
    .slice(0, SLOWEST_SUITE_COUNT)
    .map(({ testFilePath, perfStats }) => {
      const seconds = (perfStats.runtime / 1_000).toFixed(1).padStart(6);
      return `  ${seconds} s  ${relative(process.cwd(), testFilePath)}`;
    });
}

/**
 * Reports the slowest suites, the used services and the numbers of passed and failed tests at the end of a run.
 */
export default class RunReporter {
  onRunComplete(_contexts: unknown, results: RunResults): void {
    const database = process.env[DATABASE_DESCRIPTION_VARIABLE] ?? 'none';
    const lines = [
      '',
      'Slowest suites',
      ...slowestSuites(results),
      'Backing services',
      `  database: ${database}, ${describeUse(readRunCounter('test-databases'), 'test database')}`,
      `  bus:      ${describeNats()}`,
      ...missingLines(),
      ...repetitionsLine(readRunCounter('repetitions')),
      summaryLine(results),
      '',
    ];
    // jest prints its own summary after all reporters have run. This report must come last, so it is printed when the
    // process exits.
    process.once('exit', () => process.stdout.write(lines.join('\n')));
  }
}

function describeNats(): string {
  const count = readRunCounter('nats-suites');
  return count === 0 ? 'in-process' : `in-process and NATS at ${new URL(natsUrl).host}, ${describeUse(count, 'suite')}`;
}

/** Returns what declarations of suites missed, and how many did. */
function missingLines(): string[] {
  const lines = REQUIREMENT_NAMES.flatMap((requirement) => {
    const count = readRunCounter(`without ${requirement}`);
    return count === 0 ? [] : [`  ${count}: ${findMissing(requirement)}`];
  });
  return lines.length === 0 ? [] : ['Groups of tests that did not run', ...lines];
}

/** No test fails because of repetitions, but many on an idle machine show a defect. */
function repetitionsLine(count: number): string[] {
  return count === 0 ? [] : [`Repetitions of requests after 503: ${count}`];
}

function describeUse(count: number, unit: string): string {
  return count === 0 ? 'not used' : `used by ${count} ${unit}${count === 1 ? '' : 's'}`;
}
