import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const BUILT_MODULE = join(import.meta.dirname, '../../../simulator/dist/week/map/demo-map.js');

/** Returns the map that `npm run demo -- --keep` writes into the data directory of the service. */
export async function demoMap(): Promise<Buffer> {
  const { createDemoMap } = (await import(pathToFileURL(BUILT_MODULE).href)) as { createDemoMap(): Buffer };
  return createDemoMap();
}
