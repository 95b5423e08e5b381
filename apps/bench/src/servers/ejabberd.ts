import { globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { freePort } from '@family-watch/testing/network/free-ports';
import type { ServerEndpoint } from '../load/websocket.js';
import type { BenchDatabase } from './bench-database.js';
import { ServerProcess } from './server-process.js';

/** Paths of Debian's packages `ejabberd` and `erlang-p1-pgsql`. */
const LIBRARY_DIR = '/usr/lib/x86_64-linux-gnu';
const SCHEMA_FILE = '/usr/share/ejabberd/sql/pg.sql';
const ERLANG_COMMAND = '/usr/bin/erl';
/** Without its Postgres driver, ejabberd starts but never responds to a client. */
const POSTGRES_DRIVER = '/usr/lib/erlang/lib/p1_pgsql-*';

export const XMPP_HOST = 'bench.local';
export const XMPP_PASSWORD = 'bench';

export interface Ejabberd {
  process: ServerProcess;
  endpoint: ServerEndpoint;
}

/** Returns why ejabberd cannot be started on this machine; `undefined` if it can be started. */
export function ejabberdUnavailableReason(): string | undefined {
  const missing = [ERLANG_COMMAND, SCHEMA_FILE, POSTGRES_DRIVER].filter((path) => globSync(path).length === 0);
  return missing.length > 0 ? `ejabberd is not installed (${missing.join(', ')})` : undefined;
}

/**
 * Starts ejabberd with its accounts and its archive of every message (XEP-0313) in the benchmark's database. No other
 * ejabberd module that processes messages is enabled. Uses a separate configuration, spool and port; an installed
 * ejabberd service is not affected.
 */
export async function startEjabberd(folder: string, database: BenchDatabase, users: string[]): Promise<Ejabberd> {
  const home = join(folder, 'ejabberd');
  await mkdir(join(home, 'spool'), { recursive: true });
  await mkdir(join(home, 'logs'));
  await database.query(readFileSync(SCHEMA_FILE, 'utf8'));
  await database.query('INSERT INTO users (username, password) SELECT unnest($1::text[]), $2', [users, XMPP_PASSWORD]);
  const port = await freePort();
  const configuration = join(home, 'ejabberd.yml');
  await writeFile(configuration, createConfiguration(port, database.url));
  const process = await ServerProcess.start({
    name: 'ejabberd',
    command: ERLANG_COMMAND,
    args: ['-noinput', '+K', 'true', '+P', '250000', '-mnesia', 'dir', `"${join(home, 'spool')}"`, '-s', 'ejabberd'],
    cwd: home,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: home,
      ERL_LIBS: LIBRARY_DIR,
      ERL_MAX_PORTS: '32000',
      ERL_CRASH_DUMP: join(home, 'crash.dump'),
      EJABBERD_CONFIG_PATH: configuration,
      EJABBERD_LOG_PATH: join(home, 'logs', 'ejabberd.log'),
    },
  });
  await waitUntil('ejabberd accepts connections', () => isListening(port));
  return { process, endpoint: { host: '127.0.0.1', port } };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function createConfiguration(port: number, databaseUrl: string): string {
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl);
  return `
hosts: ["${XMPP_HOST}"]
loglevel: error
listen:
  - port: ${port}
    ip: "127.0.0.1"
    module: ejabberd_c2s
    starttls_required: false
    max_stanza_size: 262144
    backlog: 1024
default_db: sql
sql_type: pgsql
sql_server: "${hostname}"
sql_port: ${databasePort || '5432'}
sql_database: "${pathname.slice(1)}"
sql_username: "${decodeURIComponent(username)}"
sql_password: "${decodeURIComponent(password)}"
sql_pool_size: 10
auth_method: sql
auth_password_format: plain
modules:
  mod_mam:
    db_type: sql
    default: always
    assume_mam_usage: true
  mod_stream_mgmt:
    resend_on_timeout: false
`;
}
