import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';

export interface ResourceLimits {
  /** Milliseconds that one piece of work may take. */
  timeMs: number;
  /** Bytes that the process may have in memory meanwhile. */
  memory: number;
}

const LOOK_EVERY_MS = 100;
const PAGE_BYTES = 4_096;

/** Kills a process that takes too long or too much memory for one piece of work; what it was remains readable. */
export class ProcessLimits {
  /** Why the process was killed. */
  exceeded: string | undefined;
  /** Bytes that it was seen to have in memory at most. */
  peak = 0;

  constructor(
    private readonly child: ChildProcess,
    private readonly limits: ResourceLimits,
  ) {}

  /** @returns what ends the watch */
  watch(): () => void {
    const timer = setTimeout(() => this.kill(`it took longer than ${this.limits.timeMs} ms`), this.limits.timeMs);
    const look = setInterval(() => void this.look(), LOOK_EVERY_MS);
    return () => {
      clearTimeout(timer);
      clearInterval(look);
    };
  }

  private async look(): Promise<void> {
    const bytes = await residentBytes(this.child.pid);
    this.peak = Math.max(this.peak, bytes);
    if (bytes > this.limits.memory) this.kill(`it took ${bytes} bytes of memory`);
  }

  private kill(why: string): void {
    this.exceeded ??= why;
    this.child.kill('SIGKILL');
  }
}

/** proc(5): the second number is the pages in memory. 0 where the system does not tell. */
async function residentBytes(pid: number | undefined): Promise<number> {
  try {
    const [, pages] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
    return Number(pages) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
