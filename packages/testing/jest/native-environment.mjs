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
  #failedBlocks = [];
  #failedTests = new Set();

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  /**
   * Removes the error of an `afterAll` or `afterEach` if a `beforeAll` or `beforeEach` before it failed: the hook could not
   * close what was never opened, and its error would hide the first one.
   */
  handleTestEvent({ name, hook, describeBlock, test }, { unhandledErrors }) {
    if (name !== 'hook_failure') return;
    if (hook.type === 'beforeAll') this.#failedBlocks.push(describeBlock);
    if (hook.type === 'beforeEach') this.#failedTests.add(test);
    const isRelated = (block) =>
      this.#failedBlocks.some((failed) => isWithin(failed, block) || isWithin(block, failed));
    if (hook.type === 'afterAll' && isRelated(describeBlock)) unhandledErrors.pop();
    if (hook.type === 'afterEach' && (this.#failedTests.has(test) || isRelated(test.parent))) test.errors.pop();
  }

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

function isWithin(block, ancestor) {
  return block === ancestor || (block.parent !== undefined && isWithin(block.parent, ancestor));
}
