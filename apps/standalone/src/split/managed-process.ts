import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const RESTART_DELAY_MS = { first: 500, longest: 10_000 };
/** Running time after which the next restart of a process has the minimum delay again. */
const HEALTHY_AFTER_MS = 30_000;

const END_WITH_PARENT_MODULE = import.meta.resolve('@family-watch/platform/app/end-with-parent');

export interface ManagedProcessOptions {
  name: string;
  /** File URL of the program, from `import.meta.resolve`. */
  program: string;
  args?: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Receives lines for the operator. */
  log: (line: string) => void;
}

/**
 * Starts the program in its own session: on Ctrl-C it receives one signal from this process and none from the terminal
 * (a second signal would kill the program). The program exits by itself when this process is killed.
 */
function launch({ program, args = [], env }: ManagedProcessOptions): ChildProcess {
  // The child gets the Node flags of this process, so that it can also run from source.
  const flags = [...process.execArgv, '--import', END_WITH_PARENT_MODULE];
  return spawn(process.execPath, [...flags, fileURLToPath(program), ...args], {
    env,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/**
 * Runs a program until it exits. When `cancellation` is aborted, stops the program and waits for its exit.
 *
 * @throws Error with the program's name when its exit code is not 0; the reason of `cancellation` when it was aborted
 */
export async function runToExit(options: ManagedProcessOptions, cancellation: AbortSignal): Promise<void> {
  cancellation.throwIfAborted();
  const child = launch(options);
  const stop = () => child.kill('SIGTERM');
  cancellation.addEventListener('abort', stop);
  const [code, signal] = (await once(child, 'exit').finally(() => cancellation.removeEventListener('abort', stop))) as [
    number | null,
    NodeJS.Signals | null,
  ];
  cancellation.throwIfAborted();
  if (code !== 0) throw new Error(`${options.name} failed (${signal ?? `exit code ${code}`}); see its output above`);
}

/** A program of the service that is restarted whenever it exits after having been ready once. */
export class ManagedProcess {
  private process: ChildProcess;
  private startedAt = 0;
  private delay = RESTART_DELAY_MS.first;
  private hasBeenReady = false;
  private readonly stopRequest = new AbortController();
  private readonly failure = Promise.withResolvers<never>();

  constructor(private readonly options: ManagedProcessOptions) {
    this.failure.promise.catch(() => undefined);
    this.process = this.start();
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /**
   * Resolves when `isReady` returns true.
   * @throws Error when the process exits before `isReady` returns true, because a restart would not fix its
   * configuration
   */
  async waitUntilReady(isReady: () => Promise<boolean>): Promise<void> {
    const poll = async (): Promise<void> => {
      while (!(await isReady())) await sleep(50, undefined, { signal: this.stopRequest.signal });
    };
    await Promise.race([poll(), this.failure.promise]);
    this.hasBeenReady = true;
  }

  /** Sends SIGTERM, and SIGKILL if the process does not exit before the timeout in milliseconds. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopRequest.abort();
    const { process: child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    await exited;
    clearTimeout(killer);
  }

  private start(): ChildProcess {
    this.startedAt = performance.now();
    const child = launch(this.options);
    child.once('error', (error) => this.failure.reject(error));
    child.once('exit', (code, signal) => void this.onExit(signal ?? `exit code ${code}`));
    return child;
  }

  private async onExit(how: string): Promise<void> {
    const { name, log } = this.options;
    const { signal } = this.stopRequest;
    if (signal.aborted) return;
    if (!this.hasBeenReady) {
      this.failure.reject(new Error(`${name} exited before it was ready (${how}). Its output is above`));
      return;
    }
    if (performance.now() - this.startedAt > HEALTHY_AFTER_MS) this.delay = RESTART_DELAY_MS.first;
    log(`${name} exited (${how}), restarting in ${this.delay / 1000} s`);
    try {
      await sleep(this.delay, undefined, { signal });
    } catch {
      return;
    }
    this.delay = Math.min(this.delay * 2, RESTART_DELAY_MS.longest);
    this.process = this.start();
  }
}
