import { describe } from '@jest/globals';
import { CHROMIUM_PATH } from './test-browser.js';

/** Declares the tests of a suite that needs Chromium; without Chromium they are skipped. */
export function describeWithChromium(name: string, tests: () => void): void {
  if (CHROMIUM_PATH === undefined) {
    process.stdout.write(`${name}: skipped, no Chromium is installed\n`);
    describe.skip(name, tests);
  } else describe(name, tests);
}
