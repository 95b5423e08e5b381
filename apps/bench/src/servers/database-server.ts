import { join } from 'node:path';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';

/** The Postgres server in which the benchmarks create their databases. */
export interface BenchDatabaseServer {
  adminUrl: string;
  close(): Promise<void>;
}

const LOCAL_ADMIN_URL = 'postgres://postgres@127.0.0.1:5432/postgres';
const noop = (): Promise<void> => Promise.resolve();

/** Returns the server at `url`; without `url`, the local server if it accepts connections, or a new embedded server. */
export async function openBenchDatabaseServer(folder: string, url?: string): Promise<BenchDatabaseServer> {
  if (url !== undefined) return { adminUrl: url, close: noop };
  if (await canConnect(LOCAL_ADMIN_URL)) return { adminUrl: LOCAL_ADMIN_URL, close: noop };
  const embedded = await EmbeddedPostgres.start({ dataDir: join(folder, 'postgres'), transport: 'tcp' });
  return { adminUrl: embedded.info.adminUrl, close: () => embedded.stop() };
}

async function canConnect(url: string): Promise<boolean> {
  try {
    const connection = await openDedicatedConnection({ url, variableName: 'DATABASE_URL' }, 'bench');
    await connection.end();
    return true;
  } catch {
    return false;
  }
}
