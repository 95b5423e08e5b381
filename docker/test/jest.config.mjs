import base from '../../jest.config.mjs';

/** Tests docker/ without a container engine; needs psql, nats-server and nginx. Takes minutes. */
export default {
  ...base,
  globalSetup: undefined,
  globalTeardown: undefined,
  reporters: ['default'],
  testMatch: ['<rootDir>/docker/test/**/*.spec.ts'],
  testTimeout: 600_000,
  maxWorkers: 1,
};
