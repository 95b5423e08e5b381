import 'reflect-metadata';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { jestExpect as expect } from '@jest/expect';
import circusRunner from 'jest-circus/runner';
import './load-typescript.mjs';

/*
 * jest's `testRunner`: jest-circus, which imports suites with Node's own module loader instead of jest's `vm` modules.
 * A worker loads and compiles NestJS, TypeORM and this repository's sources once, not once per suite, and suites of one
 * worker can share what modules keep (docs/decisions/005-shared-test-runtime.md). Module mocks (`jest.mock`) do not
 * exist here.
 */

// A program that starts one of its own parts as a process passes its own flags on.
process.execArgv.push('--import', new URL('./load-typescript.mjs', import.meta.url).href);
process.setSourceMapsEnabled(true);

const require = createRequire(import.meta.url);
// The very instance that the suites import.
const { useGlobals } = await import(import.meta.resolve('./globals.mjs'));
/** How jest-circus keeps its event handlers and the time limit of tests between the copies of itself. */
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
  // jest looks for source maps in files of its own; Node finds ours in the loaded code.
  Error.prepareStackTrace = undefined;
  const native = {
    // A fresh copy of jest-circus per suite: its state is that of one suite.
    requireInternalModule: (path) => {
      delete require.cache[path];
      return require(path);
    },
    requireModule: (path) => require(path),
    setGlobalsForRuntime: (globals) => useGlobals({ ...globals, expect, jest: jestObject(environment) }),
    unstable_shouldLoadAsEsm: () => true,
    // A suite declares its tests each time it is imported; what it imports stays.
    unstable_importModule: (path) => import(`${pathToFileURL(path).href}?run=${++runs}`),
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
  return circusRunner.default(globalConfig, config, environment, native, testPath, sendMessageToJest);
}

/** What suites use of the `jest` object. */
function jestObject({ moduleMocker, fakeTimersModern }) {
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
