import { readdir, readFile } from 'node:fs/promises';

/** Returns the ids of the renderer processes whose parent process is `parent`, in no particular order (proc(5)). */
async function findRenderers(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [command, stat] = await Promise.all([
          readFile(`/proc/${pid}/cmdline`, 'utf8'),
          readFile(`/proc/${pid}/stat`, 'utf8'),
        ]);
        // In /proc/<pid>/stat, state and parent follow the name in parentheses, which may contain any characters.
        const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(ppid) === parent && state !== 'Z' && /renderer\/renderer\.[jt]s/.test(command)
          ? [Number(pid)]
          : [];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}

/** Returns a function that finds the renderers of this process that have started since this call. */
export async function watchRenderers(): Promise<() => Promise<number[]>> {
  const earlier = new Set(await findRenderers(process.pid));
  return async () => (await findRenderers(process.pid)).filter((pid) => !earlier.has(pid));
}
