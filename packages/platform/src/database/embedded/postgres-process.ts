import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { serverArguments, serverEnvironment, type PostgresEndpoint, type ServerSettings } from './cluster.js';
import type { Installation } from './installation.js';
import { Watchdog } from './watchdog.js';

const FAST_SHUTDOWN_TIMEOUT_MS = 10_000;
const MAX_LOG_BYTES = 4 * 1024 * 1024;

/** One run of the server, with a watchdog that stops it when this process crashes. */
export class PostgresProcess {
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
