import { randomBytes } from 'node:crypto';
import { startApp } from './app.js';
import type { AppInstance, AppOptions } from './app.js';
import { waitUntil } from './server-process.js';

export interface UserctxOptions extends AppOptions {
  /** For what it writes beside the database: text messages. */
  dataDir: string;
}

/** What is not the product's but the load's: one person asks more often than people do. */
const NO_LIMIT = '1000000';

export async function startUserctx(options: UserctxOptions): Promise<AppInstance> {
  const userctx = await startApp('userctx', options, {
    SECRET_KEY: randomBytes(32).toString('hex'),
    DATA_DIR: options.dataDir,
    RATE_LIMIT_REQUESTS: NO_LIMIT,
    RATE_LIMIT_SIGN_IN: NO_LIMIT,
    RATE_LIMIT_SMS_ADDRESS: NO_LIMIT,
  });
  const ready = `http://127.0.0.1:${userctx.endpoint.port}/health/ready`;
  await waitUntil('userctx is ready', async () => (await fetch(ready)).ok);
  return userctx;
}
