import { inspect } from 'node:util';
import { UsageError } from './options.js';

/** Exits with the exit code that `main` returns, with 2 for invalid options, or with 1 for another error. */
export async function runMain(main: () => Promise<number>): Promise<never> {
  const exitCode = await main().catch((error: unknown) => {
    process.stderr.write(`✗ ${inspect(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  });
  // Timers of closed clients must not keep the process running.
  process.exit(exitCode);
}
