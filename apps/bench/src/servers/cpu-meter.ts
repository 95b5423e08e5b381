import type { BenchDatabase } from './bench-database.js';
import { cpuSecondsOf } from './process-figures.js';
import type { ServerProcess } from './server-process.js';

/** CPU seconds of the servers and the database in user and kernel mode, without the load generator. */
export interface CpuUse {
  /** CPU seconds of the server's processes, by process name. */
  processes: Record<string, number>;
  /** CPU seconds of the Postgres backends of the server's database. */
  backends: number;
  /** CPU seconds of Postgres processes that write for all databases, in proportion to the server's database. */
  shared: number;
  total: number;
}

/** Starts measuring CPU time. @returns a function that stops measuring and returns the CPU time used since the start */
export async function measureCpu(
  processes: readonly ServerProcess[],
  database: BenchDatabase,
): Promise<() => Promise<CpuUse>> {
  const readCpuSeconds = (): number[] => processes.map(({ pid }) => cpuSecondsOf(pid) ?? 0);
  const stopDatabaseCpu = await database.measureCpu();
  const before = readCpuSeconds();
  return async () => {
    const used = readCpuSeconds().map((seconds, index) => seconds - (before[index] ?? 0));
    const { backends, shared } = await stopDatabaseCpu();
    return {
      processes: Object.fromEntries(processes.map(({ name }, index) => [name, used[index] ?? 0])),
      backends,
      shared,
      total: used.reduce((sum, seconds) => sum + seconds, backends + shared),
    };
  };
}
