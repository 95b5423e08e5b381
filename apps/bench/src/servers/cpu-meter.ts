import type { BenchDatabase } from './bench-database.js';
import { cpuSecondsOf } from './process-figures.js';
import type { ServerProcess } from './server-process.js';

/** CPU seconds of everything that serves, user and kernel mode, without the load. */
export interface CpuUse {
  /** The server's own processes. */
  servers: number;
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
  const now = (): number => processes.reduce((sum, { pid }) => sum + (cpuSecondsOf(pid) ?? 0), 0);
  const endOfDatabase = await database.measureCpu();
  const before = now();
  return async () => {
    const servers = now() - before;
    const { backends, shared } = await endOfDatabase();
    return { servers, backends, shared, total: servers + backends + shared };
  };
}
