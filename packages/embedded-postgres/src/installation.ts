import { createHash, randomUUID } from 'node:crypto';
import { chownSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { canRun, canWrite, chooseServiceAccount, type ServiceAccount } from './service-account.js';
import { copyBinaries, locateBinaries, type PostgresBinaries } from './binaries.js';

/** Directory of binaries and clusters if the server's user cannot access the project's directory. */
export const SYSTEM_DIRECTORY = '/var/lib/family-watch';

const LOCATION_FILE = 'postgres-location.txt';
/** Path length in `sockaddr_un`: 108 bytes on Linux and 104 on macOS, including the terminating zero. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;
const SOCKET_NAME = '.s.PGSQL.5432';

/** Paths and account of an embedded Postgres, determined before the start. */
export interface Installation {
  readonly binaries: PostgresBinaries;
  /** User that runs the server; undefined for the user of this process. */
  readonly account: ServiceAccount | undefined;
  /** Directory of cluster, log and password; mode 0700, owned by the server's user. */
  readonly home: string;
  readonly cluster: string;
  /** True if binaries or cluster are outside the project because the server's user cannot access the project. */
  readonly relocated: boolean;
}

/**
 * Determines the user and the directory of the server, and creates the directory.
 *
 * A cluster remains at the location stored in its data directory (`postgres-location.txt`), even if the reason for that
 * location no longer exists. At another location, the server would start with an empty database.
 *
 * @param dataDir - real path of the data directory, already locked
 * @throws Error if the user that must run an existing cluster cannot access it
 */
export function prepareInstallation(dataDir: string, systemDirectory: string): Installation {
  const storedHome = readLocation(dataDir);
  const account = chooseServiceAccount(join(storedHome ?? join(dataDir, 'postgres'), 'cluster'));
  const home = storedHome ?? chooseHome(dataDir, systemDirectory, account);
  createPrivateDirectory(home, account);
  if (account && !canWrite(home, account)) {
    throw new Error(`The database in ${home} belongs to user ${account.uid}, who can no longer access that directory.`);
  }
  writeFileSync(join(dataDir, LOCATION_FILE), `${home === join(dataDir, 'postgres') ? 'postgres' : home}\n`);
  const installed = locateBinaries();
  const binaries =
    account && !canRun(installed.postgres, account) ? copyBinaries(installed, systemDirectory) : installed;
  const relocated = binaries !== installed || !home.startsWith(dataDir);
  return { binaries, account, home, cluster: join(home, 'cluster'), relocated };
}

/** Returns whether a database was created in the data directory. */
export function hasDatabase(dataDir: string): boolean {
  return readLocation(dataDir) !== undefined;
}

/** Returns the stored location of the cluster, or undefined before the first start. */
function readLocation(dataDir: string): string | undefined {
  const file = join(dataDir, LOCATION_FILE);
  if (!existsSync(file)) return undefined;
  const location = readFileSync(file, 'utf8').trim();
  return isAbsolute(location) ? location : join(dataDir, location);
}

/** Deletes a data directory with its cluster, wherever that is. The server must have stopped. */
export function removeDataDir(dataDir: string): void {
  const home = readLocation(dataDir);
  for (const path of home === undefined ? [dataDir] : [home, temporarySocketDirectoryOf(home), dataDir])
    rmSync(path, { recursive: true, force: true });
}

/**
 * Creates the directory of the server's socket with mode 0700: in the server's home directory if the path is short
 * enough, otherwise in the directory for temporary files.
 *
 * @throws Error if another user has created a directory with that name
 */
export function prepareSocketDirectory({ home, account }: Installation): string {
  const homeDirectory = join(home, 'socket');
  const isShortEnough = Buffer.byteLength(join(homeDirectory, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
  const directory = isShortEnough ? homeDirectory : temporarySocketDirectoryOf(home);
  createPrivateDirectory(directory, account);
  const stats = lstatSync(directory);
  const owner = account?.uid ?? process.getuid?.();
  if (!stats.isDirectory() || stats.uid !== owner || (stats.mode & 0o077) !== 0) {
    throw new Error(
      `${directory} is needed for the database's socket, but it is not a private directory of the database's user.`,
    );
  }
  return directory;
}

function temporarySocketDirectoryOf(home: string): string {
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 12);
  // With root rights, another user runs the server, who may not have access to TMPDIR.
  return join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), `fw-${digest}`);
}

function chooseHome(dataDir: string, systemDirectory: string, account: ServiceAccount | undefined): string {
  const projectHome = join(dataDir, 'postgres');
  if (!account) return projectHome;
  createPrivateDirectory(projectHome, account);
  if (canWrite(projectHome, account)) return projectHome;
  mkdirSync(systemDirectory, { recursive: true, mode: 0o755 });
  // A random name: a new data directory with the path of a deleted one must not get the old database.
  return join(systemDirectory, randomUUID());
}

function createPrivateDirectory(directory: string, account: ServiceAccount | undefined): void {
  if (existsSync(directory)) return;
  mkdirSync(directory, { mode: 0o700 });
  if (account) chownSync(directory, account.uid, account.gid);
}
