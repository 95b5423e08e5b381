import { availableParallelism } from 'node:os';

// A test of the suites that need only Node does not wait long for anything.
process.env.WAIT_LIMIT_MS ??= '90000';

/** The suites of `npm test`; jest.all.config.mjs adds the others. docs/testing.md describes how jest runs and why. */
export default {
  rootDir: import.meta.dirname,
  testMatch: ['<rootDir>/{apps,packages}/*/{src,test}/**/*.spec.ts', '<rootDir>/docker/test/*.spec.ts'],
  testPathIgnorePatterns: ['\\.(slow|long)\\.spec\\.ts$'],
  modulePathIgnorePatterns: ['/dist/'],
  // Node loads the suites; jest transforms nothing and resolves imports only to find suites affected by a change.
  testRunner: '<rootDir>/packages/testing/jest/native-test-runner.mjs',
  testEnvironment: '<rootDir>/packages/testing/jest/native-environment.mjs',
  transform: {},
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@family-watch/(userctx|gateway|mcdisk|standalone)/(.*)$': '<rootDir>/apps/$1/src/$2',
    '^@family-watch/client$': '<rootDir>/packages/client/src/index.ts',
    '^@family-watch/([^/]+)/(.*)$': '<rootDir>/packages/$1/src/$2',
  },
  globalSetup: '<rootDir>/packages/testing/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/packages/testing/jest/global-teardown.mjs',
  testSequencer: '<rootDir>/packages/testing/jest/slow-first-sequencer.mjs',
  // Two more than the number of processors, because suites often wait for a process or a database.
  maxWorkers: availableParallelism() + 2,
  reporters: ['default', '<rootDir>/packages/testing/jest/run-reporter.mjs'],
  // Only ends hanging tests. Tests wait for conditions, so a busy machine must not make them fail.
  testTimeout: 2 * Number(process.env.WAIT_LIMIT_MS),
  workerIdleMemoryLimit: '2GB',
};
