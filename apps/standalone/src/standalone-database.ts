import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import type { Environment } from '@family-watch/platform/config/environment';
import {
  openAppDatabase,
  type AppDatabase,
  type DatabaseDeclaration,
} from '@family-watch/platform/database/app-database';
import { acquireDataDirLock } from '@family-watch/platform/database/data-dir-lock';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';

/** The database server of standalone: the embedded server under DATA_DIR, or the server at DATABASE_URL. */
export interface DatabaseServer {
  url: string;
  migrationUrl: string;
  /** Where the data is stored; `npm start` prints this text. */
  description: string;
  stop(): Promise<void>;
}

/**
 * Starts the embedded database server, or uses the server at DATABASE_URL. Locks the data directory in both cases.
 * @throws DataDirInUseError when another process uses the data directory
 */
export async function openDatabaseServer(environment: Environment): Promise<DatabaseServer> {
  const { DATA_DIR, DATABASE_URL, MIGRATION_DATABASE_URL } = environment;
  if (DATABASE_URL === undefined) {
    const postgres = await EmbeddedPostgres.start({ dataDir: DATA_DIR });
    const { url, migrationUrl, cluster } = postgres.info;
    return { url, migrationUrl, description: `embedded Postgres in ${cluster}`, stop: () => postgres.stop() };
  }
  const lock = acquireDataDirLock(DATA_DIR);
  return {
    url: DATABASE_URL,
    migrationUrl: MIGRATION_DATABASE_URL ?? DATABASE_URL,
    description: 'the server of DATABASE_URL',
    stop: async () => lock.release(),
  };
}

export interface AppDatabases {
  userctx: AppDatabase;
  mcdisk: AppDatabase;
  gateway: AppDatabase;
  close(): Promise<void>;
}

/** Migrates the three schemas and opens a data source for each. */
export async function openAppDatabases(server: DatabaseServer, poolSize: number): Promise<AppDatabases> {
  const { url, migrationUrl } = server;
  const open = async (declaration: DatabaseDeclaration): Promise<AppDatabase> => {
    await migrateAppDatabase({ ...declaration, url, migrationUrl });
    return openAppDatabase({ ...declaration, url, variableName: 'DATABASE_URL', limits: { poolSize } });
  };
  const [userctx, mcdisk, gateway] = [
    await open(userctxDatabase),
    await open(mcdiskDatabase),
    await open(gatewayDatabase),
  ];
  const close = async (): Promise<void> => {
    for (const database of [userctx, mcdisk, gateway]) await database.close();
  };
  return { userctx, mcdisk, gateway, close };
}
