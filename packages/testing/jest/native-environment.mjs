import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * A jest environment without a `vm` context: suites run in the worker's own realm (native-test-runner.mjs). Mocks and
 * fake timers act on the real globals, so that code which is loaded once per worker sees them.
 */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern;
  #console = globalThis.console;
  #exit = process.exit;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  /** jest replaces both for the time of a suite. */
  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.#console;
    process.exit = this.#exit;
  }

  exportConditions() {
    return ['family-watch-source', 'node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
