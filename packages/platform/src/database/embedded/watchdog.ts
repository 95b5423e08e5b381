import { spawn, type ChildProcess } from 'node:child_process';
import type { ServiceAccount } from './service-account.js';

/*
 * Reads the postmaster's pid, then waits. A second line means that the server has ended; the end of the pipe
 * without one means that our process has died, whatever killed it: the server gets a fast shutdown, and an
 * immediate one (safe, it costs a recovery) when that takes more than a second and a half.
 */
const SHELL_SCRIPT = `
trap '' INT TERM HUP
IFS= read -r pid || exit 0
IFS= read -r ended && exit 0
kill -INT "$pid" 2>/dev/null
i=0
while kill -0 "$pid" 2>/dev/null && [ $i -lt 100 ]; do
  i=$((i + 1))
  [ $i -eq 15 ] && kill -QUIT "$pid" 2>/dev/null
  sleep 0.1
done`;

/* Windows has neither sh nor these signals; pg_ctl speaks to the server's event there. */
const WINDOWS_SCRIPT = `
let heard = '';
process.stdin.setEncoding('utf8').on('data', (text) => (heard += text)).on('end', () => {
  if (heard.split('\\n').length !== 2) return;
  const [pgCtl, cluster] = process.argv.slice(1);
  require('node:child_process').spawnSync(pgCtl, ['stop', '-D', cluster, '-m', 'fast']);
});`;

/** A small process that outlives ours by a moment, to stop the server when we cannot. */
export class Watchdog {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts it, before the server, in a session of its own: a signal to our process group does not reach it. */
  static start(account: ServiceAccount | undefined, pgCtl: string, cluster: string): Watchdog {
    const [command, args] =
      process.platform === 'win32'
        ? [process.execPath, ['-e', WINDOWS_SCRIPT, pgCtl, cluster]]
        : ['/bin/sh', ['-c', SHELL_SCRIPT]];
    const child = spawn(command, args, {
      ...account,
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
    });
    child.stdin?.on('error', () => undefined);
    child.on('error', () => undefined);
    child.unref();
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    return new Watchdog(child);
  }

  /** Names the server to stop; called in the same turn in which it was spawned. */
  monitor(pid: number): void {
    this.child.stdin?.write(`${pid}\n`);
  }

  /** The server has ended: nothing is left to guard. */
  stop(): void {
    this.child.stdin?.end('ended\n');
  }
}
