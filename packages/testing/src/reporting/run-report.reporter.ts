import { connect } from 'node:net';
import { relative } from 'node:path';
import { DATABASE_DESCRIPTION_VARIABLE } from '../database/test-server.js';
import { readRunCounter } from './run-counters.js';

const DEFAULT_NATS_URL = 'nats://127.0.0.1:4222';

/** Number of suites that the report lists. */
const SLOWEST_SUITE_COUNT = 20;

/** The part of a suite's result that the report contains. */
export interface SuiteTimes {
  readonly testFilePath: string;
  /** `runtime` is in milliseconds. */
  readonly perfStats: { readonly runtime: number };
}

/** The part of jest's results that the report contains. */
export interface RunResults extends RunCounts {
  readonly testResults: readonly SuiteTimes[];
}

/** The numbers of tests and suites in jest's results. */
export interface RunCounts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/**
 * Returns the last line of a run's report. A suite that could not run counts as one failure, because jest does not
 * count the tests of the suite.
 */
export function summaryLine(counts: RunCounts): string {
  const skipped = counts.numPendingTests + counts.numTodoTests;
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  return `${counts.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Returns one line per suite with seconds and path, the slowest first. */
export function slowestSuites(suites: readonly SuiteTimes[], count = SLOWEST_SUITE_COUNT): string[] {
  return suites
    .toSorted((a, b) => b.perfStats.runtime - a.perfStats.runtime)
    .slice(0, count)
    .map(({ testFilePath, perfStats }) => {
      const seconds = (perfStats.runtime / 1_000).toFixed(1).padStart(6);
      return `  ${seconds} s  ${relative(process.cwd(), testFilePath)}`;
    });
}

/**
 * Reports the slowest suites, the used services and the numbers of passed and failed tests at the end of a run.
 */
export default class RunReporter {
  async onRunComplete(_contexts: unknown, results: RunResults): Promise<void> {
    const database = process.env[DATABASE_DESCRIPTION_VARIABLE] ?? 'none';
    const lines = [
      '',
      'Slowest suites',
      ...slowestSuites(results.testResults),
      'Backing services',
      `  database: ${database}, ${describeUse(readRunCounter('test-databases'), 'test database')}`,
      `  bus:      ${await this.describeNats()}`,
      ...repetitionsLine(readRunCounter('repetitions')),
      summaryLine(results),
      '',
    ];
    // jest prints its own summary after all reporters have run. This report must come last, so it is printed when the
    // process exits.
    process.once('exit', () => process.stdout.write(lines.join('\n')));
  }

  private async describeNats(): Promise<string> {
    const url = new URL(process.env.TEST_NATS_URL ?? process.env.NATS_URL ?? DEFAULT_NATS_URL);
    const isNatsReachable = await isReachable(url.hostname, Number(url.port || 4222));
    if (!isNatsReachable) return `in-process only; NATS at ${url.host} is not reachable`;
    return `in-process and NATS at ${url.host}, reachable, ${describeUse(readRunCounter('nats-suites'), 'suite')}`;
  }
}

/** No test fails because of repetitions, but many on an idle machine show a defect. */
function repetitionsLine(count: number): string[] {
  return count === 0 ? [] : [`Repetitions of requests after 503: ${count}`];
}

function describeUse(count: number, unit: string): string {
  return count === 0 ? 'not used' : `used by ${count} ${unit}${count === 1 ? '' : 's'}`;
}

function isReachable(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const finish = (isConnected: boolean) => (): void => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once('connect', finish(true)).once('error', finish(false)).once('timeout', finish(false));
  });
}
