import type { BenchDatabase } from './bench-database.js';
import { cpuSecondsOf } from './process-figures.js';
import type { ServerProcess } from './server-process.js';

/** CPU seconds of everything that serves, user and kernel mode, without the load. */
export interface CpuUse {
  /** The server's own processes, by name. */
  processes: Record<string, number>;
  /** Backends of its database. */
  backends: number;
  /** Its part of the processes of Postgres that write for all databases. */
  shared: number;
  total: number;
}

/** Starts measuring; the answer ends it. */
export async function measureCpu(
  processes: readonly ServerProcess[],
  database: BenchDatabase,
): Promise<() => Promise<CpuUse>> {
  const now = (): number[] => processes.map(({ pid }) => cpuSecondsOf(pid) ?? 0);
  const endOfDatabase = await database.measureCpu();
  const before = now();
  return async () => {
    const used = now().map((seconds, index) => seconds - (before[index] ?? 0));
    const { backends, shared } = await endOfDatabase();
    return {
      processes: Object.fromEntries(processes.map(({ name }, index) => [name, used[index] ?? 0])),
      backends,
      shared,
      total: used.reduce((sum, seconds) => sum + seconds, backends + shared),
    };
  };
}
