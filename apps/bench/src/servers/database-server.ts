import { join } from 'node:path';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';
import { EmbeddedPostgres } from '@family-watch/platform/database/embedded/embedded-postgres';

/** A Postgres on which the bench makes its databases. */
export interface BenchDatabaseServer {
  adminUrl: string;
  close(): Promise<void>;
}

const USUAL = 'postgres://postgres@127.0.0.1:5432/postgres';
const nothing = (): Promise<void> => Promise.resolve();

/** The given server; else the usual one if it lets us in; else an embedded one under `folder`. */
export async function openBenchDatabaseServer(folder: string, url?: string): Promise<BenchDatabaseServer> {
  if (url !== undefined) return { adminUrl: url, close: nothing };
  if (await letsIn(USUAL)) return { adminUrl: USUAL, close: nothing };
  const embedded = await EmbeddedPostgres.start({ dataDir: join(folder, 'postgres'), transport: 'tcp' });
  return { adminUrl: embedded.info.adminUrl, close: () => embedded.stop() };
}

async function letsIn(url: string): Promise<boolean> {
  try {
    const connection = await openDedicatedConnection({ url, variable: 'DATABASE_URL' }, 'bench');
    await connection.end();
    return true;
  } catch {
    return false;
  }
}
