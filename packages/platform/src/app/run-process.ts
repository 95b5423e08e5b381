import { EventBusNotSetUpError, NatsUnavailableError } from '@family-watch/event-bus/errors';
import { EnvironmentError } from '../config/load-environment.js';
import { DataDirInUseError } from '../database/data-dir-lock.js';
import { DatabaseStartError } from '../database/connection.js';
import { exitProcess } from './exit-process.js';

/** Milliseconds beyond SHUTDOWN_GRACE after which a process that has not stopped exits with code 1. */
const FORCED_EXIT_MARGIN_MS = 10_000;

/** Errors that an operator can fix, and whose message says how. */
const EXPECTED_ERRORS = [
  EnvironmentError,
  DataDirInUseError,
  DatabaseStartError,
  EventBusNotSetUpError,
  NatsUnavailableError,
];

/** A started service that `runProcess` can stop. */
export interface RunningProcess {
  /** The environment variable SHUTDOWN_GRACE. */
  readonly shutdownGraceSeconds: number;
  /** Completes the work in progress, then closes all resources; called once. */
  stop(): Promise<void>;
}

/**
 * Milliseconds after the first signal in which further signals count as the same request. A terminal sends Ctrl-C to
 * the whole process group, and npm or another parent process may forward it to its child.
 */
const REPEATED_SIGNAL_MS = 1_000;

/** Milliseconds between two checks of the parent process. */
const PARENT_CHECK_MS = 500;

/**
 * Runs one service until it is stopped: the first SIGTERM or SIGINT stops the service gracefully, a later signal stops
 * it immediately. If the start fails for a reason that the operator can fix, `runProcess` prints only the message,
 * without a stack.
 *
 * @param startCancellation - aborted when a signal arrives during the start, for a start that must stop other processes
 *   first; without `startCancellation`, such a signal makes the process exit immediately
 */
export async function runProcess(
  start: () => Promise<RunningProcess>,
  startCancellation?: AbortController,
): Promise<void> {
  let running: RunningProcess | undefined;
  let stoppingSince: number | undefined;
  const onSignal = (): void => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > REPEATED_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    if (running) stopAndExit(running);
    else if (startCancellation) startCancellation.abort();
    // The process has not acknowledged any request yet.
    else process.exit(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  onEndOfNpm(onSignal);
  try {
    running = await start();
  } catch (error) {
    return startCancellation?.signal.aborted ? exitProcess(0) : exitWithError(error);
  }
  if (startCancellation?.signal.aborted) stopAndExit(running);
}

/**
 * Calls `stop` when npm ends. `npm start` runs the service in a shell; when npm receives a signal, it passes the signal to
 * the shell, which ends without passing it on.
 */
function onEndOfNpm(stop: () => void): void {
  // Windows does not change the id of the parent process when the parent ends.
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_CHECK_MS).unref();
}

function stopAndExit(running: RunningProcess): void {
  setTimeout(() => process.exit(1), running.shutdownGraceSeconds * 1_000 + FORCED_EXIT_MARGIN_MS).unref();
  running.stop().then(
    () => exitProcess(0),
    (error: unknown) => exitWithError(error),
  );
}

function exitWithError(error: unknown): Promise<never> {
  const isExpected = EXPECTED_ERRORS.some((type) => error instanceof type);
  const text = isExpected || isPortTaken(error) ? messageOf(error) : stackOf(error);
  process.stderr.write(`${text}\n`);
  return exitProcess(1);
}

function isPortTaken(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes(String(error.code))
  );
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return isPortTaken(error) ? `Cannot listen on HOST and PORT: ${message}` : message;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
