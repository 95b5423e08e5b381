import { connect } from 'node:net';
import { relative } from 'node:path';
import { DATABASE_DESCRIPTION_VARIABLE } from '../database/test-server.js';
import { countServiceUse } from './backing-service-use.js';

const NATS_DEFAULT = 'nats://127.0.0.1:4222';

const SLOWEST = 20;

/** The part of a suite's result that is reported. Times in milliseconds. */
export interface SuiteTimes {
  readonly testFilePath: string;
  readonly perfStats: { readonly runtime: number };
}

/** The part of jest's results that is reported. */
export interface RunResults extends RunCounts {
  readonly testResults: readonly SuiteTimes[];
}

/** The part of jest's results that is counted. */
export interface RunCounts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/**
 * The closing line of a run. A suite that could not run at all counts as one failure: it would be missing from the
 * counts of its tests.
 */
export function summaryLine(counts: RunCounts): string {
  const skipped = counts.numPendingTests + counts.numTodoTests;
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  return `${counts.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** One line per suite, the slowest first: seconds and path. */
export function slowestSuites(suites: readonly SuiteTimes[], count = SLOWEST): string[] {
  return suites
    .toSorted((a, b) => b.perfStats.runtime - a.perfStats.runtime)
    .slice(0, count)
    .map(({ testFilePath, perfStats }) => {
      const seconds = (perfStats.runtime / 1_000).toFixed(1).padStart(6);
      return `  ${seconds} s  ${relative(process.cwd(), testFilePath)}`;
    });
}

/**
 * Reports at the end of a run: the slowest suites, the services that the suites ran on, and the numbers of tests that
 * passed and failed.
 */
export default class RunReporter {
  async onRunComplete(_contexts: unknown, results: RunResults): Promise<void> {
    const database = process.env[DATABASE_DESCRIPTION_VARIABLE] ?? 'none';
    const lines = [
      '',
      'Slowest suites',
      ...slowestSuites(results.testResults),
      'Backing services',
      `  database: ${database}, ${describeUse(countServiceUse('postgres'), 'test database')}`,
      `  bus:      ${await this.describeNats()}`,
      summaryLine(results),
      '',
    ];
    // jest puts its own summary behind all reporters; this report closes the run, so it waits for the process's end.
    process.once('exit', () => process.stdout.write(lines.join('\n')));
  }

  private async describeNats(): Promise<string> {
    const url = new URL(process.env.TEST_NATS_URL ?? process.env.NATS_URL ?? NATS_DEFAULT);
    const reachable = await answers(url.hostname, Number(url.port || 4222));
    if (!reachable) return `in-process only; NATS at ${url.host} is not reachable`;
    return `in-process and NATS at ${url.host}, reachable, ${describeUse(countServiceUse('nats'), 'suite')}`;
  }
}

function describeUse(count: number, unit: string): string {
  return count === 0 ? 'not used' : `used by ${count} ${unit}${count === 1 ? '' : 's'}`;
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}
