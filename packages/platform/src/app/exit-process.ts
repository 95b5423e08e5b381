import { setTimeout as delay } from 'node:timers/promises';

/**
 * Milliseconds in which V8 completes its background compilation. `process.exit` stops the main thread and waits for the
 * compiler threads; a compiler thread that waits for the main thread then blocks the process for ever
 * (nodejs/node#54918). A process that has just started, for example with invalid variables, still compiles.
 */
const COMPILATION_MS = 50;

/** Exits with `code` after a short wait; open timers and connections do not delay the exit. */
export async function exitProcess(code: number): Promise<never> {
  await delay(COMPILATION_MS);
  // Should the process block nevertheless, the next signal ends it.
  process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
  process.exit(code);
}
