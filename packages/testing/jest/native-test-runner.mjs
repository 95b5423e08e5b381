import 'reflect-metadata';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { jestExpect as expect } from '@jest/expect';
import circusRunner from 'jest-circus/runner';
import './load-typescript.mjs';

/*
 * jest's `testRunner`: runs jest-circus, but imports suites with Node's module loader instead of jest's `vm` modules. A
 * worker loads and compiles NestJS, TypeORM and this repository's sources once instead of once per suite, and suites of
 * one worker share the state of modules (docs/decisions/005-shared-test-runtime.md). Module mocks (`jest.mock`) are not supported.
 */

// A program that starts a child process with its own `execArgv` then loads TypeScript there too.
process.execArgv.push('--import', new URL('./load-typescript.mjs', import.meta.url).href);
process.setSourceMapsEnabled(true);

const require = createRequire(import.meta.url);
// Must be the same module instance that the suites import.
const { useGlobals } = await import(import.meta.resolve('./globals.mjs'));
/** Global symbols with which copies of jest-circus share event handlers and the test timeout. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

const { PROPERTY_SEED } = process.env;
if (PROPERTY_SEED) {
  const { default: fastCheck } = await import('fast-check');
  fastCheck.configureGlobal({ seed: Number(PROPERTY_SEED) });
}

let runs = 0;

/** Runs one suite. The signature is that of jest's `testRunner` option. */
export default async function runSuite(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  delete globalThis[EVENT_HANDLERS];
  delete globalThis[TEST_TIMEOUT];
  // jest's hook looks for source maps in its own files; Node finds the inline ones.
  Error.prepareStackTrace = undefined;
  const native = {
    // A fresh copy of jest-circus per suite, because it has per-suite state.
    requireInternalModule: (path) => {
      delete require.cache[path];
      return require(path);
    },
    requireModule: (path) => require(path),
    setGlobalsForRuntime: (globals) => useGlobals({ ...globals, expect, jest: createJestObject(environment) }),
    unstable_shouldLoadAsEsm: () => true,
    // The query makes Node evaluate the suite again; its imports stay loaded.
    unstable_importModule: (path) => import(`${pathToFileURL(path).href}?run=${++runs}`),
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
  return circusRunner.default(globalConfig, config, environment, native, testPath, sendMessageToJest);
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
