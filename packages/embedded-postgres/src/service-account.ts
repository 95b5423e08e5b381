import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The operating system user that runs Postgres. */
export interface ServiceAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Chooses the user that runs Postgres: the user of this process unless that is root, which Postgres rejects. Instead of
 * root, Postgres runs as the owner of the existing cluster, as `postgres` or as `nobody`.
 *
 * @param cluster - directory of the cluster, which need not exist
 * @returns undefined if Postgres runs as the user of this process
 */
export function chooseServiceAccount(cluster: string): ServiceAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const clusterStats = statSync(cluster, { throwIfNoEntry: false });
  if (clusterStats && clusterStats.uid !== 0) return { uid: clusterStats.uid, gid: clusterStats.gid };
  const account = findAccount('postgres') ?? findAccount('nobody');
  if (!account) throw new Error('Postgres cannot run as root, and neither a user "postgres" nor "nobody" exists.');
  return account;
}

/** Returns the name of this process's user, which peer authentication of Postgres requires. */
export function processUserName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    throw new Error(
      `User ${process.getuid?.()} has no name on this system, but the embedded Postgres requires one. Set DATABASE_URL.`,
      {
        cause: error,
      },
    );
  }
}

/** Returns whether the account can run the program, that is, access its directories and libraries. */
export function canRun(program: string, account: ServiceAccount | undefined): boolean {
  return succeeds(program, ['--version'], account);
}

/** Returns whether the account can enter the directory and write to it. */
export function canWrite(directory: string, account: ServiceAccount): boolean {
  return succeeds('/bin/sh', ['-c', 'cd -- "$1" && test -w .', 'sh', directory], account);
}

/**
 * Runs a program in a process group of its own: a Ctrl-C of the terminal would otherwise end the program, and the account
 * would seem to have no access.
 */
function succeeds(program: string, args: string[], account: ServiceAccount | undefined): boolean {
  // The types of Node lack this option of `spawnSync`.
  const options: SpawnSyncOptions & { detached: boolean } = { ...account, cwd: '/', stdio: 'ignore', detached: true };
  return spawnSync(program, args, options).status === 0;
}

function findAccount(name: string): ServiceAccount | undefined {
  const id = (flag: string): number => {
    const result = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return result.status === 0 ? Number.parseInt(result.stdout, 10) : Number.NaN;
  };
  const account = { uid: id('-u'), gid: id('-g') };
  return Number.isNaN(account.uid) || Number.isNaN(account.gid) || account.uid === 0 ? undefined : account;
}
