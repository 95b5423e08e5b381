import { EmbeddedPostgres } from '@family-watch/platform/database/embedded/embedded-postgres';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client } from 'pg';
import { makeRunFolder } from '../process/run-folder.js';
import { RUN_FOLDER_VARIABLE } from '../reporting/backing-service-use.js';

/** One line about the server that the suites run on, for the report. */
export const DATABASE_DESCRIPTION_VARIABLE = 'FAMILY_WATCH_TEST_DATABASE';
/** Id of this run; all its databases and roles begin with it. */
export const RUN_ID_VARIABLE = 'FAMILY_WATCH_TEST_RUN_ID';

const PREFIX = 'fwtest_';
const LEFTOVER_AGE_MS = 12 * 60 * 60 * 1000;

/** Tests lose nothing by a power cut. */
const FAST_AND_FORGETFUL = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '400' };

interface RunningServer {
  readonly folder: string;
  readonly url: string;
  readonly embedded: EmbeddedPostgres | undefined;
}

let running: RunningServer | undefined;

/** Roles of this run; both are made anew, so nothing depends on what a shared server has. */
export function runRoles(runId: string): { owner: string; app: string } {
  return { owner: `${runId}_owner`, app: `${runId}_app` };
}

/**
 * Starts ONE embedded cluster for the run, or takes the server of TEST_DATABASE_URL (its role
 * must be a superuser), and hands it to the workers in the environment.
 *
 * @returns the folder of the run
 */
export async function startTestServer(): Promise<string> {
  const folder = makeRunFolder();
  const given = process.env.TEST_DATABASE_URL;
  const embedded = given ? undefined : await EmbeddedPostgres.start({ dataDir: folder, settings: FAST_AND_FORGETFUL });
  const url = given ?? embedded?.info.adminUrl ?? '';
  running = { folder, url, embedded };
  const runId = `${PREFIX}${Date.now().toString(36)}${randomBytes(3).toString('hex')}`;
  try {
    const version = await prepare(url, runId);
    process.env.TEST_DATABASE_URL = url;
    process.env[RUN_ID_VARIABLE] = runId;
    process.env[RUN_FOLDER_VARIABLE] = folder;
    process.env[DATABASE_DESCRIPTION_VARIABLE] = `PostgreSQL ${version} (${given ? 'server' : 'embedded'})`;
    return folder;
  } catch (error) {
    await stopTestServer();
    throw new Error('The test database cannot be prepared (TEST_DATABASE_URL needs a superuser).', { cause: error });
  }
}

/** Drops what the run made, and stops the embedded cluster. */
export async function stopTestServer(): Promise<void> {
  if (!running) return;
  const { folder, url, embedded } = running;
  running = undefined;
  const runId = process.env[RUN_ID_VARIABLE];
  if (!embedded && runId) await withClient(url, (client) => dropRun(client, runId));
  await embedded?.stop();
  if (embedded?.info.relocated) rmSync(dirname(embedded.info.cluster), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Opens a connection for the time of `work`. */
export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function prepare(url: string, runId: string): Promise<string> {
  return withClient(url, async (client) => {
    await dropLeftovers(client);
    for (const role of Object.values(runRoles(runId))) {
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD '${runId}'`);
    }
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? 'of unknown version';
  });
}

/** Runs that were killed have left their databases on a shared server. */
async function dropLeftovers(client: Client): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    `SELECT rolname FROM pg_roles WHERE rolname LIKE 'fwtest\\_%\\_owner'`,
  );
  for (const { rolname } of rows) {
    const runId = rolname.slice(0, -'_owner'.length);
    const started = Number.parseInt(runId.slice(PREFIX.length, -6), 36);
    if (Date.now() - started > LEFTOVER_AGE_MS) await dropRun(client, runId);
  }
}

async function dropRun(client: Client, runId: string): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname::text, $1)',
    [`${runId}_`],
  );
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  for (const role of Object.values(runRoles(runId))) await client.query(`DROP ROLE IF EXISTS ${role}`);
}
