import { readFileSync } from 'node:fs';

const swcrc = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));

/** Settings shared by every kind of suite: TypeScript by swc, native ES modules, packages resolved to source. */
const base = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['family-watch-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swcrc, swcrc: false, sourceMaps: 'inline' }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['/dist/'],
  setupFiles: ['reflect-metadata', '<rootDir>/packages/testing/jest/children-from-source.mjs'],
};

export default {
  ...base,
  // Suites start databases and processes; a machine that is busy with something else must not fail them.
  testTimeout: 90_000,
  // Modules of suites that ended are not all given back; a worker that has gathered too many is replaced.
  workerIdleMemoryLimit: '2GB',
  globalSetup: '<rootDir>/packages/testing/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/packages/testing/jest/global-teardown.mjs',
  reporters: ['default', '<rootDir>/packages/testing/jest/backing-services-reporter.mjs'],
  testMatch: ['<rootDir>/{apps,packages}/*/src/**/*.spec.ts', '<rootDir>/{apps,packages}/*/test/**/*.spec.ts'],
};
