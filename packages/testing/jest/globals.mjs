/**
 * Stands in for `@jest/globals` (load-typescript.mjs resolves it to this file). The bindings are those of the suite that
 * is running: modules that stay loaded for several suites see the current ones.
 */
export let describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect, jest;

/** Called by the test runner before it imports a suite. */
export function useGlobals(globals) {
  ({ describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect, jest } = globals);
}
