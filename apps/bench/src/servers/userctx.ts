import { randomBytes } from 'node:crypto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { startApp, type AppInstance, type AppOptions } from './app.js';

export interface UserctxOptions extends AppOptions {
  /** Directory for files outside the database, such as the SMS outbox. */
  dataDir: string;
}

/** Effectively disables the rate limits, because one load client sends more requests than a person. */
const NO_LIMIT = '1000000';

/** Starts a userctx process and waits until its readiness check succeeds. */
export async function startUserctx(options: UserctxOptions): Promise<AppInstance> {
  const userctx = await startApp('userctx', options, {
    SECRET_KEY: randomBytes(32).toString('hex'),
    DATA_DIR: options.dataDir,
    RATE_LIMIT_REQUESTS: NO_LIMIT,
    RATE_LIMIT_PROOFS: NO_LIMIT,
    RATE_LIMIT_CALLER_REQUESTS: NO_LIMIT,
    RATE_LIMIT_SIGN_IN: NO_LIMIT,
    RATE_LIMIT_SMS_ADDRESS: NO_LIMIT,
    RATE_LIMIT_SMS_PREFIX: NO_LIMIT,
  });
  const ready = `http://127.0.0.1:${userctx.endpoint.port}/health/ready`;
  await waitUntil('userctx is ready', async () => (await fetch(ready)).ok);
  return userctx;
}
