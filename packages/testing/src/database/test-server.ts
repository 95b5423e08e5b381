import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { removeDataDir } from '@family-watch/embedded-postgres/installation';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createRunDirectory } from '../process/run-directory.js';
import { RUN_FOLDER_VARIABLE } from '../reporting/run-counters.js';

/** Environment variable with the description of the database server that the report of a run contains. */
export const DATABASE_DESCRIPTION_VARIABLE = 'FAMILY_WATCH_TEST_DATABASE';
/** Environment variable with the id of this run, which is the prefix of the run's databases and roles. */
export const RUN_ID_VARIABLE = 'FAMILY_WATCH_TEST_RUN_ID';

const NAME_PREFIX = 'fwtest_';
/** Milliseconds after which the databases and roles of a run count as left over from a killed run. */
const LEFTOVER_AGE_MS = 12 * 60 * 60 * 1000;

/** Server settings that disable durability, which tests do not need. */
const NON_DURABLE_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '400',
  // With hundreds of databases, the server would otherwise start an autovacuum worker several times per second.
  autovacuum_naptime: '1h',
};

interface RunningServer {
  readonly directory: string;
  readonly url: string;
  readonly embeddedPostgres: EmbeddedPostgres | undefined;
}

let runningServer: RunningServer | undefined;

/**
 * Returns the database roles of a run. `startTestServer` creates these roles, so that tests do not depend on existing
 * roles of a shared server.
 */
export function rolesOfRun(runId: string): { owner: string; app: string } {
  return { owner: `${runId}_owner`, app: `${runId}_app` };
}

/**
 * Starts one embedded cluster for the run, or uses the server of TEST_DATABASE_URL, whose role must be a superuser.
 * Passes the connection URL to the workers in environment variables.
 *
 * @returns the directory of the run
 */
export async function startTestServer(): Promise<string> {
  const directory = createRunDirectory();
  const configuredUrl = process.env.TEST_DATABASE_URL;
  const embedded = configuredUrl
    ? undefined
    : await EmbeddedPostgres.start({ dataDir: directory, settings: NON_DURABLE_SETTINGS });
  const url = configuredUrl ?? embedded?.info.adminUrl ?? '';
  runningServer = { directory, url, embeddedPostgres: embedded };
  const runId = `${NAME_PREFIX}${Date.now().toString(36)}${randomBytes(3).toString('hex')}`;
  try {
    const version = await prepareServer(url, runId);
    process.env.TEST_DATABASE_URL = url;
    process.env[RUN_ID_VARIABLE] = runId;
    process.env[RUN_FOLDER_VARIABLE] = directory;
    process.env[DATABASE_DESCRIPTION_VARIABLE] = `PostgreSQL ${version} (${configuredUrl ? 'server' : 'embedded'})`;
    return directory;
  } catch (error) {
    await stopTestServer();
    throw new Error('The test database could not be prepared. The role of TEST_DATABASE_URL must be a superuser.', {
      cause: error,
    });
  }
}

/** Drops the databases and roles of the run and stops the embedded cluster. */
export async function stopTestServer(): Promise<void> {
  if (!runningServer) return;
  const { directory, url, embeddedPostgres: embedded } = runningServer;
  runningServer = undefined;
  const runId = process.env[RUN_ID_VARIABLE];
  if (!embedded && runId) await withClient(url, (client) => dropRun(client, runId));
  await embedded?.stop();
  removeDataDir(directory);
}

/** Runs `work` with a connection and closes it afterwards. */
export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function prepareServer(url: string, runId: string): Promise<string> {
  return withClient(url, async (client) => {
    await dropLeftoverDatabases(client);
    for (const role of Object.values(rolesOfRun(runId))) {
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD '${runId}'`);
    }
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '(unknown version)';
  });
}

/** Drops databases and roles of killed runs from a shared server. */
async function dropLeftoverDatabases(client: Client): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    `SELECT rolname FROM pg_roles WHERE rolname LIKE 'fwtest\\_%\\_owner'`,
  );
  for (const { rolname } of rows) {
    const runId = rolname.slice(0, -'_owner'.length);
    const startedAt = Number.parseInt(runId.slice(NAME_PREFIX.length, -6), 36);
    if (Date.now() - startedAt > LEFTOVER_AGE_MS) await dropRun(client, runId);
  }
}

async function dropRun(client: Client, runId: string): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname::text, $1)',
    [`${runId}_`],
  );
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  for (const role of Object.values(rolesOfRun(runId))) await client.query(`DROP ROLE IF EXISTS ${role}`);
}
