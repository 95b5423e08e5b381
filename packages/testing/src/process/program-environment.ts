const REFUSE_OUTGOING_TRAFFIC = import.meta.resolve('../../network/refuse-outgoing-traffic.mjs');

/**
 * Environment variables that programs started by tests inherit; the other variables of the test process are not passed
 * on. NODE_COMPILE_CACHE shortens the start of the programs (load-typescript.mjs). NODE_OPTIONS refuses connections to
 * other hosts.
 */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  NODE_OPTIONS: `--import=${REFUSE_OUTGOING_TRAFFIC}`,
};
