import type { EmbeddedPostgresInfo } from '@family-watch/embedded-postgres/embedded-postgres';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { spawn, spawnSync, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Client } from 'pg';

const REPOSITORY_ROOT = join(import.meta.dirname, '../../../..');
const TYPESCRIPT_LOADER = join(REPOSITORY_ROOT, 'packages/testing/jest/load-typescript.mjs');
const HOST_PROGRAM = join(import.meta.dirname, 'embedded-host.ts');

export interface StartSuccess {
  readonly info: EmbeddedPostgresInfo;
  /** Process id of the postmaster. */
  readonly pid: number;
}

interface StartFailure {
  readonly error: { readonly name: string; readonly message: string };
}

/** Starts a host process without waiting for its database. */
export function spawnHost(
  dataDir: string,
  systemDirectory: string,
  account: { uid?: number; gid?: number } = {},
): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--import', TYPESCRIPT_LOADER, HOST_PROGRAM, dataDir, systemDirectory], {
    ...account,
    cwd: REPOSITORY_ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** A child process with an embedded database; see `embedded-host.ts`. */
export class HostProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly outcome: StartSuccess | StartFailure,
  ) {}

  static async start(
    dataDir: string,
    systemDirectory: string,
    account: { uid?: number; gid?: number } = {},
  ): Promise<HostProcess> {
    const child = spawnHost(dataDir, systemDirectory, account);
    for await (const line of createInterface({ input: child.stdout })) {
      return new HostProcess(child, JSON.parse(line) as StartSuccess | StartFailure);
    }
    throw new Error('The host process exited without output');
  }

  get started(): StartSuccess {
    if ('error' in this.outcome) throw new Error(`The database did not start: ${this.outcome.error.message}`);
    return this.outcome;
  }

  get failure(): StartFailure['error'] {
    if (!('error' in this.outcome)) throw new Error('The database started although a failure was expected');
    return this.outcome.error;
  }

  /** Sends the signal and waits for the process to exit. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    await exit;
  }
}

/** Returns the process ids of the watchdogs that the process has started. */
export function watchdogsOf(parent: number | undefined): number[] {
  const children = spawnSync('ps', ['-o', 'pid=,comm=', '--ppid', String(parent)], { encoding: 'utf8' }).stdout;
  return children
    .split('\n')
    .filter((line) => /\bsh$/.test(line.trim()))
    .map((line) => Number.parseInt(line, 10));
}

/** Returns whether a process with this id runs. A process that ended has no status, or is a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export async function waitForExit(pid: number): Promise<void> {
  await waitUntil(`the exit of process ${pid}`, () => !isRunning(pid));
}

/** Executes one statement on a separate connection. */
export async function queryDatabase(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
