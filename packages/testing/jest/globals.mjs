/**
 * Replaces `@jest/globals`, which load-typescript.mjs resolves to this file. The exported bindings always belong to the
 * running suite, also in modules that stay loaded for several suites.
 */
export let describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect, jest;

/** Sets the bindings. The test runner calls it before it imports a suite. */
export function useGlobals(globals) {
  ({ describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect, jest } = globals);
}
