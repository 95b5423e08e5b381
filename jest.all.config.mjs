// Suites that start services must pass on a machine that is five times slower than usual.
process.env.WAIT_LIMIT_MS ??= '300000';
const { default: base } = await import('./jest.config.mjs');

/** The suites of `npm run test:all`. */
export default { ...base, testPathIgnorePatterns: ['\\.long\\.spec\\.ts$'] };
