import { EnvironmentError } from '../config/load-environment.js';
import { DataDirInUseError } from '../database/data-dir-lock.js';
import { DatabaseStartError } from '../database/connection.js';

/** Milliseconds after the shutdown grace at which a process that has not stopped exits with code 1. */
const STOP_MARGIN_MS = 10_000;

/** A started process that `runProcess` can stop. */
export interface RunningProcess {
  /** SHUTDOWN_GRACE. */
  readonly shutdownGraceSeconds: number;
  /** Completes the work in progress, then closes all resources; called once. */
  stop(): Promise<void>;
}

/**
 * Runs one service until it is stopped: the first SIGTERM or SIGINT stops the service gracefully, a second signal stops
 * it immediately. If the start fails for a reason that the operator can fix, `runProcess` prints only the message,
 * without a stack.
 */
export async function runProcess(start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess | undefined;
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    // A signal during startup makes the process exit immediately, because the process has not acknowledged any request
    // yet.
    if (!running) process.exit(0);
    setTimeout(() => process.exit(1), running.shutdownGraceSeconds * 1_000 + STOP_MARGIN_MS).unref();
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => exitWithError(error),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    running = await start();
  } catch (error) {
    exitWithError(error);
  }
}

function exitWithError(error: unknown): never {
  const isExpected = error instanceof EnvironmentError || error instanceof DataDirInUseError;
  const text =
    isExpected || error instanceof DatabaseStartError || isPortTaken(error) ? messageOf(error) : stackOf(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
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
