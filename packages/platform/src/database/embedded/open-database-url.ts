import type { Environment } from '../../config/environment.js';
import { DataDirInUseError } from '../data-dir-lock.js';
import { EmbeddedPostgres, findEmbeddedPostgres } from './embedded-postgres.js';

/**
 * Returns DATABASE_URL for a command line program, or else the URL of the embedded database server, which is started
 * unless a running service has started it.
 */
export async function openDatabaseUrl({
  DATABASE_URL,
  DATA_DIR,
}: Environment): Promise<{ url: string; stop(): Promise<void> }> {
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL, stop: () => Promise.resolve() };
  const running = findEmbeddedPostgres(DATA_DIR);
  try {
    const postgres = await EmbeddedPostgres.start({ dataDir: DATA_DIR });
    return { url: postgres.info.url, stop: () => postgres.stop() };
  } catch (error) {
    if (running && error instanceof DataDirInUseError) return { url: running.url, stop: () => Promise.resolve() };
    throw error;
  }
}
