import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The operating system's user that Postgres runs as. */
export interface ServiceAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Chooses the user that runs Postgres: nobody else than we are, unless we are root, which Postgres refuses.
 * Then it is the owner of the cluster that is there already, or `postgres`, or `nobody`.
 *
 * @param cluster - folder of the cluster, which need not exist
 * @returns undefined when Postgres runs as the user of this process
 */
export function chooseServiceAccount(cluster: string): ServiceAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = lookUp('postgres') ?? lookUp('nobody');
  if (!account) throw new Error('Postgres does not run as root, and there is neither a user "postgres" nor "nobody".');
  return account;
}

/** Name of this process's user, as Postgres sees it on the other end of the socket. */
export function processUserName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    throw new Error(
      `User ${process.getuid?.()} has no name in this system, and Postgres needs one. Set DATABASE_URL.`,
      {
        cause: error,
      },
    );
  }
}

/** True when the account can run the program: every folder above it can be entered, its libraries can be read. */
export function canRun(program: string, account: ServiceAccount | undefined): boolean {
  return spawnSync(program, ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** True when the account can enter the folder and write in it. */
export function canWrite(folder: string, account: ServiceAccount): boolean {
  const check = spawnSync('/bin/sh', ['-c', 'cd -- "$1" && test -w .', 'sh', folder], {
    ...account,
    cwd: '/',
    stdio: 'ignore',
  });
  return check.status === 0;
}

function lookUp(name: string): ServiceAccount | undefined {
  const id = (flag: string): number => {
    const answer = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return answer.status === 0 ? Number.parseInt(answer.stdout, 10) : Number.NaN;
  };
  const account = { uid: id('-u'), gid: id('-g') };
  return Number.isNaN(account.uid) || Number.isNaN(account.gid) || account.uid === 0 ? undefined : account;
}
