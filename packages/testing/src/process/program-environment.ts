/**
 * What a program that a test starts has in its environment before anything else is set: none of the test's own
 * variables. What V8 compiled of its modules is kept for the next start (load-typescript.mjs).
 */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
