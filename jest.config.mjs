import { availableParallelism } from 'node:os';

/** How jest runs, and what each setting is for: docs/testing.md. */
export default {
  rootDir: import.meta.dirname,
  testMatch: ['<rootDir>/{apps,packages}/*/src/**/*.spec.ts', '<rootDir>/{apps,packages}/*/test/**/*.spec.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  // Suites are loaded by Node itself; jest transforms and resolves nothing, except to find what a change touches.
  testRunner: '<rootDir>/packages/testing/jest/native-test-runner.mjs',
  testEnvironment: '<rootDir>/packages/testing/jest/native-environment.mjs',
  transform: {},
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@family-watch/(userctx|gateway|mcdisk|standalone)/(.*)$': '<rootDir>/apps/$1/src/$2',
    '^@family-watch/([^/]+)/(.*)$': '<rootDir>/packages/$1/src/$2',
  },
  globalSetup: '<rootDir>/packages/testing/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/packages/testing/jest/global-teardown.mjs',
  testSequencer: '<rootDir>/packages/testing/jest/slow-first-sequencer.mjs',
  // One more than the processors: suites often wait for a process or a database.
  maxWorkers: availableParallelism() + 1,
  reporters: ['default', '<rootDir>/packages/testing/jest/run-reporter.mjs'],
  // Ends what hangs, and nothing else: a busy machine must not fail a test, so tests wait for conditions.
  testTimeout: 240_000,
  workerIdleMemoryLimit: '2GB',
};
