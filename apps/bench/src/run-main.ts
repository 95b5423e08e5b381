import { UsageError } from './options.js';

/** Exits with the exit code that `main` returns, with 2 for invalid options, or with 1 for another error. */
export async function runMain(main: () => Promise<number>): Promise<never> {
  const exitCode = await main().catch((error: unknown) => {
    process.stderr.write(`✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  });
  // Timers of closed clients must not keep the process running.
  process.exit(exitCode);
}
