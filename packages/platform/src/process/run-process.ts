import { EnvironmentError } from '../config/load-environment.js';
import { DataDirInUseError } from '../database/data-dir-lock.js';
import { DatabaseStartError } from '../database/connection.js';

const STOP_LIMIT_MS = 20_000;

/** What a started process is to its runner. */
export interface RunningProcess {
  /** Ends what is under way, then closes everything; called once. */
  stop(): Promise<void>;
}

/**
 * Runs one service until it is told to stop: SIGTERM and SIGINT end it in order, a second one at once. A start that
 * fails for a reason its operator can mend says so in one line, without a stack.
 */
export async function runProcess(start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess | undefined;
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    // A signal during the start ends it where it is: nothing was acknowledged yet.
    if (!running) process.exit(0);
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    running = await start();
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  const known = error instanceof EnvironmentError || error instanceof DataDirInUseError;
  const text = known || error instanceof DatabaseStartError || isPortTaken(error) ? messageOf(error) : traceOf(error);
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

function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
