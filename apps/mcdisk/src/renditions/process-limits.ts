import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';

export interface ResourceLimits {
  /** Maximum duration of one task, milliseconds. */
  timeMs: number;
  /** Maximum resident memory during a task, bytes. */
  memoryBytes: number;
}

const POLL_INTERVAL_MS = 100;
const PAGE_BYTES = 4_096;

/** Kills a process that exceeds the time or memory limit of a task, and stores the reason in `exceededLimit`. */
export class ProcessLimits {
  /** Reason why the process was killed, or `undefined` when it was not killed. */
  exceededLimit: string | undefined;
  /** Highest resident memory observed, bytes. */
  peakMemoryBytes = 0;

  constructor(
    private readonly child: ChildProcess,
    private readonly limits: ResourceLimits,
  ) {}

  /**
   * Starts enforcing the limits.
   * @returns a function that stops enforcing the limits
   */
  startEnforcing(): () => void {
    const timer = setTimeout(() => this.kill(`it took longer than ${this.limits.timeMs} ms`), this.limits.timeMs);
    const poll = setInterval(() => void this.checkMemory(), POLL_INTERVAL_MS);
    return () => {
      clearTimeout(timer);
      clearInterval(poll);
    };
  }

  private async checkMemory(): Promise<void> {
    const bytes = await residentBytes(this.child.pid);
    this.peakMemoryBytes = Math.max(this.peakMemoryBytes, bytes);
    if (bytes > this.limits.memoryBytes) this.kill(`it used ${bytes} bytes of memory`);
  }

  private kill(reason: string): void {
    this.exceededLimit ??= reason;
    this.child.kill('SIGKILL');
  }
}

/**
 * Returns the resident memory of a process in bytes, from the second number of /proc/<pid>/statm, or 0 on systems
 * without this file.
 */
async function residentBytes(pid: number | undefined): Promise<number> {
  try {
    const [, pages] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
    return Number(pages) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

const ALLOWED_VARIABLES = ['NODE_ENV', 'PATH', 'SystemRoot', 'TMPDIR', 'TEMP'];

/**
 * Returns the environment for programs that read untrusted files. The environment contains none of the service's own
 * variables, which include secrets, because decoders can be exploited.
 */
export function minimalEnvironment(): NodeJS.ProcessEnv {
  const entries = ALLOWED_VARIABLES.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return Object.fromEntries(entries) as NodeJS.ProcessEnv;
}
