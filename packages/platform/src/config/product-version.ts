import { readFileSync } from 'node:fs';

/** Version of the service, which all packages have. */
export const PRODUCT_VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
