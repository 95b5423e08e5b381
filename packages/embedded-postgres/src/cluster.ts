import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { processUserName } from './service-account.js';
import type { Installation } from './installation.js';

const execFileAsync = promisify(execFile);
const UNFINISHED_PREFIX = 'cluster.unfinished-';
const MIB = 1024 * 1024;

/** Endpoint of the server: a Unix socket, or loopback TCP with a password. */
export type PostgresEndpoint =
  | { readonly kind: 'socket'; readonly directory: string }
  | { readonly kind: 'tcp'; readonly port: number };

/** Server settings by name, as in postgresql.conf. */
export type ServerSettings = Readonly<Record<string, string>>;

/**
 * Returns the environment of the server's programs, without variables that change their behaviour (PGDATA, PGPORT, …).
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const inherited = ['PATH', 'SystemRoot', 'TEMP', 'TMP'].map((name) => [name, process.env[name]] as const);
  return { ...Object.fromEntries(inherited.filter(([, value]) => value !== undefined)), LC_ALL: 'C' };
}

/**
 * Creates the cluster if it does not exist. `initdb` writes and syncs a temporary directory, which is then renamed. The
 * cluster's directory therefore does not exist after an interrupted first start.
 */
export async function ensureCluster(installation: Installation): Promise<void> {
  const { home, cluster, binaries, account } = installation;
  for (const name of readdirSync(home).filter((entry) => entry.startsWith(UNFINISHED_PREFIX))) {
    // The removal is retried, because the `initdb` of a killed process may still write into the directory.
    rmSync(join(home, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
  }
  if (existsSync(join(cluster, 'PG_VERSION'))) return;
  // The name is unique, because an `initdb` that outlived a killed first start must not write into this directory.
  const unfinished = join(home, `${UNFINISHED_PREFIX}${randomBytes(6).toString('hex')}`);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const password = ['--auth=scram-sha-256', `--pwfile=${ensurePassword(installation)}`];
  await execFileAsync(binaries.initdb, ['-D', unfinished, '-U', 'postgres', ...locale, ...password], {
    ...account,
    cwd: '/',
    env: serverEnvironment(),
  });
  renameSync(unfinished, cluster);
  // The home directory and the data directory may be new, so their parent directories are synced as well.
  for (const directory of [home, dirname(home), dirname(dirname(home))]) syncDirectory(directory);
}

/** Returns the password that the cluster's roles need for TCP. Socket connections use peer authentication. */
export function readPassword({ home }: Installation): string {
  return readFileSync(join(home, 'password'), 'utf8').trim();
}

/**
 * Writes the access rules. Only the operating system user of this process may connect over the socket, with any role.
 * TCP (Windows) requires the password, which only the owner of the directory can read.
 */
export function writeAccessRules({ cluster, account }: Installation, endpoint: PostgresEndpoint): void {
  const rule =
    endpoint.kind === 'socket' ? 'local all all peer map=process' : 'host all all 127.0.0.1/32 scram-sha-256';
  const map = endpoint.kind === 'socket' ? `process "${processUserName()}" all` : '';
  for (const [name, text] of [
    ['pg_hba.conf', rule],
    ['pg_ident.conf', map],
  ] as const) {
    const file = join(cluster, name);
    writeFileSync(file, `# Written at every start.\n${text}\n`, { mode: 0o600 });
    if (account) chownSync(file, account.uid, account.gid);
  }
}

/** Returns server arguments that suit a small machine and never lose acknowledged data. */
export function serverArguments(cluster: string, endpoint: PostgresEndpoint, overrides: ServerSettings): string[] {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const settings: ServerSettings = {
    listen_addresses: endpoint.kind === 'tcp' ? '127.0.0.1' : '',
    port: String(endpoint.kind === 'tcp' ? endpoint.port : 5432),
    unix_socket_directories: endpoint.kind === 'socket' ? endpoint.directory : '',
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: `${Math.round(Math.min(256, Math.max(32, memory / MIB / 16)))}MB`,
    max_wal_size: '512MB',
    max_parallel_workers: String(Math.min(4, availableParallelism())),
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // On macOS, fsync returns before the data is on disk.
    ...(process.platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {}),
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    log_checkpoints: 'off',
    // Failed statements contain names, phone numbers and locations; the app logs the error without them.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...overrides,
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function ensurePassword({ home, account }: Installation): string {
  const file = join(home, 'password');
  if (!existsSync(file)) {
    writeFileSync(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    if (account) chownSync(file, account.uid, account.gid);
  }
  return file;
}

/**
 * Syncs a directory, which makes renames in it durable. On Windows, which does not support syncing a directory, does
 * nothing.
 */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
