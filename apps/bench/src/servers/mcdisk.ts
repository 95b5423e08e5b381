import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { startApp, type AppInstance, type AppOptions } from './app.js';

export interface McdiskOptions extends AppOptions {
  jwksUrl: string;
  /** Directory of the blob store. */
  blobDir: string;
  /** Additional environment variables, for example `FILE_OFFLOAD`. */
  settings?: Readonly<Record<string, string>>;
}

/** Effectively disables the rate limits, because one load client sends more requests than a person. */
const NO_LIMIT = '1000000';

/** Starts an mcdisk process and waits until its readiness check succeeds. */
export async function startMcdisk(options: McdiskOptions): Promise<AppInstance> {
  const { jwksUrl, blobDir, settings } = options;
  const mcdisk = await startApp('mcdisk', options, {
    JWKS_URL: jwksUrl,
    BLOB_DIR: blobDir,
    RATE_LIMIT_CALLER_REQUESTS: NO_LIMIT,
    RATE_LIMIT_FILE_REQUESTS: NO_LIMIT,
    ...settings,
  });
  const ready = `http://127.0.0.1:${mcdisk.endpoint.port}/health/ready`;
  await waitUntil('mcdisk is ready', async () => (await fetch(ready)).ok);
  return mcdisk;
}
