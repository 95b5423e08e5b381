/**
 * Replaces `@jest/globals` (load-typescript.mjs resolves it to this file). The bindings are those of the running suite,
 * also for modules that stay loaded for several suites.
 */
export let describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect, jest;

/** Sets the bindings. The test runner calls it before it imports a suite. */
export function useGlobals(globals) {
  ({ describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect, jest } = globals);
}
