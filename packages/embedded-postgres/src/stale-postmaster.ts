import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FAST_SHUTDOWN_TIMEOUT_MS = 3_000;
const STOP_TIMEOUT_MS = 30_000;

/**
 * Stops the server that a killed process has left running on the cluster, and makes its `postmaster.pid` harmless.
 * Callers must hold the lock of the data directory, so no other process can own a running server.
 *
 * @throws Error if the server does not stop within 30 s
 */
export async function stopStalePostmaster(cluster: string): Promise<void> {
  const pid = readPid(cluster);
  if (pid !== undefined && isAlive(pid) && isPostmasterOf(pid, cluster)) await stopServer(pid);
  if (readPid(cluster) !== undefined) replaceStalePid(cluster);
}

/**
 * Replaces the pid in a stale `postmaster.pid`. Postgres would not start if the pid of an exited server now belongs to
 * another program or a zombie. Postgres ignores the pid of its own parent, so the pid of this process replaces the
 * stale pid. The file is not removed, because Postgres also checks whether the shared memory named in the file is in
 * use.
 */
function replaceStalePid(cluster: string): void {
  const file = join(cluster, 'postmaster.pid');
  const [, ...rest] = readFileSync(file, 'utf8').split('\n');
  const replacement = `${file}.${process.pid}`;
  const { uid, gid } = statSync(file);
  writeFileSync(replacement, [String(process.pid), ...rest].join('\n'), { mode: 0o600 });
  if (process.platform !== 'win32') chownSync(replacement, uid, gid);
  renameSync(replacement, file);
}

async function stopServer(pid: number): Promise<void> {
  const startedAt = Date.now();
  sendSignal(pid, 'SIGINT');
  let isImmediateRequested = false;
  while (isAlive(pid)) {
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > STOP_TIMEOUT_MS)
      throw new Error(`The database server of an earlier run (process ${pid}) does not stop. Stop it and try again.`);
    if (waitedMs > FAST_SHUTDOWN_TIMEOUT_MS && !isImmediateRequested) {
      sendSignal(pid, 'SIGQUIT');
      isImmediateRequested = true;
    }
    await sleep(20);
  }
}

/** Sends a signal, unless the process has exited. */
function sendSignal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
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

/** Returns whether the process exists, under any user, and is not a zombie. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return process.platform !== 'linux' || !/^State:\s+Z/m.test(readProc(pid, 'status'));
}

/** Returns whether the process is the cluster's postmaster, whose command line contains the cluster's path. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') return readProc(pid, 'cmdline').split('\0').includes(cluster);
  // Reading command lines is expensive on Windows, so on Windows a live pid is assumed to be the server.
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
