import { createHash } from 'node:crypto';
import { chownSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { canRun, canWrite, chooseServiceAccount, type ServiceAccount } from './service-account.js';
import { copyBinaries, locateBinaries, type PostgresBinaries } from './binaries.js';

/** Where binaries and clusters live when the database's user cannot reach the project's folder. */
export const SYSTEM_FOLDER = '/var/lib/family-watch';

const LOCATION_FILE = 'postgres-location.txt';
/** sockaddr_un holds 108 bytes on Linux and 104 on macOS, with the closing zero. */
const LONGEST_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;
const SOCKET_NAME = '.s.PGSQL.5432';

/** Everything about one embedded Postgres that is decided before it runs. */
export interface Installation {
  readonly binaries: PostgresBinaries;
  /** User that runs the server; undefined: the user of this process. */
  readonly account: ServiceAccount | undefined;
  /** Folder of this data folder's cluster, log and password, mode 0700, owned by the server's user. */
  readonly home: string;
  readonly cluster: string;
  /** True when binaries or cluster are outside the project because the server's user cannot reach it. */
  readonly relocated: boolean;
}

/**
 * Decides who runs the server and where, and makes the folder.
 *
 * A cluster stays where its data folder says it is (`postgres-location.txt`), even when the reason for its place is
 * gone: looking elsewhere would find an empty database.
 *
 * @param dataDir - real path of the data folder, already locked
 * @throws Error when an existing cluster cannot be reached by the user that has to run it
 */
export function prepareInstallation(dataDir: string, systemFolder: string): Installation {
  const known = readLocation(dataDir);
  const account = chooseServiceAccount(join(known ?? join(dataDir, 'postgres'), 'cluster'));
  const home = known ?? chooseHome(dataDir, systemFolder, account);
  makePrivate(home, account);
  if (account && !canWrite(home, account)) {
    throw new Error(`The database in ${home} belongs to user ${account.uid}, who cannot enter that folder any more.`);
  }
  writeFileSync(join(dataDir, LOCATION_FILE), `${home === join(dataDir, 'postgres') ? 'postgres' : home}\n`);
  const installed = locateBinaries();
  const binaries = account && !canRun(installed.postgres, account) ? copyBinaries(installed, systemFolder) : installed;
  const relocated = binaries !== installed || !home.startsWith(dataDir);
  return { binaries, account, home, cluster: join(home, 'cluster'), relocated };
}

/** The folder that holds (or will hold) the cluster of a data folder, if one was started there before. */
function readLocation(dataDir: string): string | undefined {
  const file = join(dataDir, LOCATION_FILE);
  if (!existsSync(file)) return undefined;
  const location = readFileSync(file, 'utf8').trim();
  return isAbsolute(location) ? location : join(dataDir, location);
}

/**
 * Makes the socket's folder, mode 0700: in the cluster's folder if the path is short enough, else in the folder for
 * temporary files.
 *
 * @throws Error when someone else has made a folder of that name
 */
export function prepareSocketFolder({ home, account }: Installation): string {
  const own = join(home, 'socket');
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 12);
  // TMPDIR is ours, not necessarily one that another user can enter.
  const shared = join(account ? '/tmp' : tmpdir(), `fw-${digest}`);
  const folder = Buffer.byteLength(join(own, SOCKET_NAME)) <= LONGEST_SOCKET_PATH ? own : shared;
  makePrivate(folder, account);
  const made = lstatSync(folder);
  const wanted = account?.uid ?? process.getuid?.();
  if (!made.isDirectory() || made.uid !== wanted || (made.mode & 0o077) !== 0) {
    throw new Error(`${folder} is needed for the database's socket, but it is not a private folder of ours.`);
  }
  return folder;
}

function chooseHome(dataDir: string, systemFolder: string, account: ServiceAccount | undefined): string {
  const local = join(dataDir, 'postgres');
  if (!account) return local;
  makePrivate(local, account);
  if (canWrite(local, account)) return local;
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  mkdirSync(systemFolder, { recursive: true, mode: 0o755 });
  return join(systemFolder, digest);
}

function makePrivate(folder: string, account: ServiceAccount | undefined): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { mode: 0o700 });
  if (account) chownSync(folder, account.uid, account.gid);
}
