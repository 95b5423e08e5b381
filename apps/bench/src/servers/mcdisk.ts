import { startApp } from './app.js';
import type { AppInstance, AppOptions } from './app.js';
import { waitUntil } from './server-process.js';

export interface McdiskOptions extends AppOptions {
  jwksUrl: string;
  /** Where the files go. */
  blobDir: string;
  /** Further variables, for example how files are handed to a proxy. */
  settings?: Readonly<Record<string, string>>;
}

/** What is not the product's but the load's: one person asks more often than people do. */
const RATE_LIMIT_REQUESTS = '1000000';

export async function startMcdisk(options: McdiskOptions): Promise<AppInstance> {
  const { jwksUrl, blobDir, settings } = options;
  const mcdisk = await startApp('mcdisk', options, {
    JWKS_URL: jwksUrl,
    BLOB_DIR: blobDir,
    RATE_LIMIT_REQUESTS,
    ...settings,
  });
  const ready = `http://127.0.0.1:${mcdisk.endpoint.port}/health/ready`;
  await waitUntil('mcdisk is ready', async () => (await fetch(ready)).ok);
  return mcdisk;
}
