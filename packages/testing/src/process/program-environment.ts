const { TEST_REPLY_DELAY_MS } = process.env;
/** Modules that each program loads before its own. */
const PRELOADED = ['refuse-outgoing-traffic.mjs', ...(TEST_REPLY_DELAY_MS ? ['delay-replies.mjs'] : [])];

/**
 * Environment variables that programs started by tests inherit; the other variables of the test process are not passed
 * on. NODE_COMPILE_CACHE shortens the start of the programs (load-typescript.mjs). NODE_OPTIONS loads the
 * preloaded modules.
 */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  NODE_OPTIONS: PRELOADED.map((file) => `--import=${import.meta.resolve(`../../network/${file}`)}`).join(' '),
  TEST_REPLY_DELAY_MS,
};
