import 'reflect-metadata';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { jestExpect as expect } from '@jest/expect';
import circusRunner from 'jest-circus/runner';
import './load-typescript.mjs';
import '../network/refuse-outgoing-traffic.mjs';

/*
 * jest's `testRunner`: runs jest-circus, but imports suites with Node's module loader instead of jest's `vm` modules. A
 * worker loads and compiles NestJS, TypeORM and this repository's sources once instead of once per suite, and the
 * suites of one worker share the state of modules (docs/decisions/45-tests.md). Module mocks
 * (`jest.mock`) are not supported.
 */

// Child processes inherit `execArgv`, so they can load TypeScript sources as well.
process.execArgv.push('--import', new URL('./load-typescript.mjs', import.meta.url).href);
process.setSourceMapsEnabled(true);

const require = createRequire(import.meta.url);
// `import.meta.resolve` yields the URL that the suites import, so that both use the same module instance.
const { useGlobals } = await import(import.meta.resolve('./globals.mjs'));
/** Global symbols with which copies of jest-circus share event handlers and the test timeout. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

const { PROPERTY_SEED } = process.env;
if (PROPERTY_SEED) {
  const { default: fastCheck } = await import('fast-check');
  fastCheck.configureGlobal({ seed: Number(PROPERTY_SEED) });
}

let runCount = 0;

/** Runs one suite. The signature is that of jest's `testRunner` option. */
export default async function runSuite(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  delete globalThis[EVENT_HANDLERS];
  delete globalThis[TEST_TIMEOUT];
  // Removes jest's hook, which does not find the inline source maps; Node finds them.
  Error.prepareStackTrace = undefined;
  const nativeRuntime = {
    // Each suite needs its own copy of jest-circus, which has state per suite.
    requireInternalModule: (path) => {
      delete require.cache[path];
      return require(path);
    },
    requireModule: (path) => require(path),
    setGlobalsForRuntime: (globals) => useGlobals({ ...globals, expect, jest: createJestObject(environment) }),
    unstable_shouldLoadAsEsm: () => true,
    // The query makes Node evaluate the suite again; the modules that the suite imports stay loaded.
    unstable_importModule: (path) => import(`${pathToFileURL(path).href}?run=${++runCount}`),
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
  return circusRunner.default(globalConfig, config, environment, nativeRuntime, testPath, sendMessageToJest);
}

/** Creates the part of the `jest` object that suites use. */
function createJestObject({ moduleMocker, fakeTimersModern }) {
  const jest = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: () => (moduleMocker.restoreAllMocks(), jest),
    useFakeTimers: (options) => (fakeTimersModern.useFakeTimers(options), jest),
    useRealTimers: () => (fakeTimersModern.useRealTimers(), jest),
    setSystemTime: (time) => fakeTimersModern.setSystemTime(time),
    advanceTimersByTime: (milliseconds) => fakeTimersModern.advanceTimersByTime(milliseconds),
    advanceTimersByTimeAsync: (milliseconds) => fakeTimersModern.advanceTimersByTimeAsync(milliseconds),
    setTimeout: (milliseconds) => ((globalThis[TEST_TIMEOUT] = milliseconds), jest),
  };
  return jest;
}
