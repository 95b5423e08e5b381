/**
 * Base environment of programs that tests start, without the test's other variables. NODE_COMPILE_CACHE speeds up their
 * start (load-typescript.mjs).
 */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
