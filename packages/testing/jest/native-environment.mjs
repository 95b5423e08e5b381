import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * A jest environment without a `vm` context: suites run in the worker's own realm (native-test-runner.mjs). Mocks and
 * fake timers replace the real globals, so they also affect modules that stay loaded for several suites.
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

  /** Restores the console and `process.exit`, which jest replaces during a suite. */
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
