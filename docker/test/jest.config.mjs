import base from '../../jest.config.mjs';

/** What stands in docker/, tried out without a Docker engine; needs psql, nats-server and nginx. Takes minutes. */
export default {
  ...base,
  globalSetup: undefined,
  globalTeardown: undefined,
  reporters: ['default'],
  testMatch: ['<rootDir>/docker/test/**/*.spec.ts'],
  testTimeout: 300_000,
  maxWorkers: 1,
};
