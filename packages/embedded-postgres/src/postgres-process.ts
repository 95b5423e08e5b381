import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { serverArguments, serverEnvironment, type PostgresEndpoint, type ServerSettings } from './cluster.js';
import type { Installation } from './installation.js';
import type { ServiceAccount } from './service-account.js';

/*
 * Program of the watchdog. It reads the postmaster's pid from its standard input, then waits for a second line, which
 * means that the server has exited. If the pipe closes without a second line, the parent process has crashed. The
 * watchdog then requests a fast shutdown of the server, and after 1.5 s an immediate shutdown, which is safe but
 * requires crash recovery.
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

/* Program of the watchdog on Windows, which has neither sh nor these signals; pg_ctl uses the server's event object. */
const WINDOWS_SCRIPT = `
let received = '';
process.stdin.setEncoding('utf8').on('data', (text) => (received += text)).on('end', () => {
  if (received.split('\\n').length !== 2) return;
  const [pgCtl, cluster] = process.argv.slice(1);
  require('node:child_process').spawnSync(pgCtl, ['stop', '-D', cluster, '-m', 'fast']);
});`;

/** A small child process that stops the server after a crash of this process. */
export class Watchdog {
  private constructor(private readonly child: ChildProcess) {}

  /**
   * Starts the watchdog before the server, in a separate session, so that signals to the process group do not reach the
   * watchdog.
   */
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

  /**
   * Passes the pid of the server to the watchdog. Callers must call `monitor` in the event loop turn in which they
   * spawned the server.
   */
  monitor(pid: number): void {
    this.child.stdin?.write(`${pid}\n`);
  }

  /** Ends the watchdog after the server has exited. */
  stop(): void {
    this.child.stdin?.end('ended\n');
  }
}

const FAST_SHUTDOWN_TIMEOUT_MS = 10_000;
const MAX_LOG_BYTES = 4 * 1024 * 1024;

/** One run of the server, with a watchdog that stops it when this process crashes. */
export class PostgresProcess {
  /** Resolves when the server has exited. */
  readonly exited: Promise<void>;
  private running = true;

  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
    watchdog: Watchdog,
  ) {
    this.exited = new Promise((resolve) => {
      const onExit = (): void => {
        if (!this.running) return;
        this.running = false;
        watchdog.stop();
        resolve();
      };
      child.once('exit', onExit);
      child.once('error', onExit);
    });
  }

  /** Starts the server and its watchdog; does not wait until the server accepts connections. */
  static start(installation: Installation, endpoint: PostgresEndpoint, overrides: ServerSettings): PostgresProcess {
    const { binaries, cluster, account, home } = installation;
    const logFile = join(home, 'postgres.log');
    if (existsSync(logFile) && statSync(logFile).size > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
    const watchdog = Watchdog.start(account, binaries.pgCtl, cluster);
    const log = openSync(logFile, 'a', 0o600);
    try {
      const child = spawn(binaries.postgres, serverArguments(cluster, endpoint, overrides), {
        ...account,
        cwd: '/',
        env: serverEnvironment(),
        // The server runs in a separate session, because Ctrl-C must reach only the app, which stops the server last.
        detached: true,
        stdio: ['ignore', log, log],
        windowsHide: true,
      });
      if (child.pid !== undefined) watchdog.monitor(child.pid);
      child.unref();
      return new PostgresProcess(child, logFile, watchdog);
    } finally {
      closeSync(log);
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get isRunning(): boolean {
    return this.running;
  }

  /**
   * Requests a fast shutdown, which rolls back open transactions, and after 10 s an immediate shutdown, which requires
   * crash recovery.
   */
  async stop(): Promise<void> {
    if (!this.running) return;
    // The child process keeps the event loop alive until the server has stopped.
    this.child.ref();
    this.child.kill('SIGINT');
    const immediateShutdown = setTimeout(() => this.child.kill('SIGQUIT'), FAST_SHUTDOWN_TIMEOUT_MS);
    await this.exited;
    clearTimeout(immediateShutdown);
  }

  /** Returns the server's last log lines for an error message. */
  logTail(): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
  }
}
