import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FAST_SHUTDOWN_MS = 3_000;
const GIVE_UP_MS = 30_000;

/**
 * Makes sure that no server is left on the cluster before one is started. Called under the lock of the data
 * folder, so a server that is still there is the orphan of a process that was killed.
 *
 * @throws Error when the orphan does not stop within 30 s
 */
export async function stopStalePostmaster(cluster: string): Promise<void> {
  const pid = readPid(cluster);
  if (pid !== undefined && isAlive(pid) && isServerOf(pid, cluster)) await stopOrphan(pid);
  if (readPid(cluster) !== undefined) disownPid(cluster);
}

/**
 * The server of the file is dead, but its pid may be another program's by now, or a zombie's, and Postgres would
 * refuse to start. Removing the file would take from Postgres its second check (is the old shared memory still in
 * use?), so only the pid is replaced, by ours: Postgres knows that its own parent cannot be a server.
 */
function disownPid(cluster: string): void {
  const file = join(cluster, 'postmaster.pid');
  const [, ...rest] = readFileSync(file, 'utf8').split('\n');
  const replacement = `${file}.${process.pid}`;
  const { uid, gid } = statSync(file);
  writeFileSync(replacement, [String(process.pid), ...rest].join('\n'), { mode: 0o600 });
  if (process.platform !== 'win32') chownSync(replacement, uid, gid);
  renameSync(replacement, file);
}

async function stopOrphan(pid: number): Promise<void> {
  const started = Date.now();
  signal(pid, 'SIGINT');
  let hurried = false;
  while (isAlive(pid)) {
    const waited = Date.now() - started;
    if (waited > GIVE_UP_MS) throw new Error(`A database server of an earlier run (process ${pid}) does not stop.`);
    if (waited > FAST_SHUTDOWN_MS && !hurried) {
      signal(pid, 'SIGQUIT');
      hurried = true;
    }
    await sleep(20);
  }
}

/** It may end between the look and the signal. */
function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function readPid(cluster: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** True while the process exists and is not a zombie; one of another user counts. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return process.platform !== 'linux' || !/^State:\s+Z/m.test(readProc(pid, 'status'));
}

/** The server's first process keeps its command line, which names the cluster. */
function isServerOf(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') return readProc(pid, 'cmdline').split('\0').includes(cluster);
  // Windows tells no command lines cheaply; a live pid is taken for the server there.
  if (process.platform === 'win32') return true;
  return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster);
}

function readProc(pid: number, file: 'status' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
