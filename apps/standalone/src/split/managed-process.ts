import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const STOP_LIMIT_MS = 20_000;
const RESTART_MS = { first: 500, longest: 10_000 };
/** A process that lived this long before it died was all right: its next restart comes quickly again. */
const HEALTHY_MS = 30_000;

const END_WITH_PARENT = import.meta.resolve('@family-watch/platform/process/end-with-parent');

export interface ManagedProcessOptions {
  name: string;
  /** Program to run, as `import.meta.resolve` names it. */
  program: string;
  args?: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Called with one line for the operator. */
  tell: (line: string) => void;
}

/**
 * In a session of its own, so that Ctrl-C reaches it once, from us and in order, not a second time from the terminal
 * (a second signal ends at once). It ends by itself when we are killed.
 */
function launch({ program, args = [], env }: ManagedProcessOptions): ChildProcess {
  // Our own flags come first: built or from source, a child runs as we do.
  const flags = [...process.execArgv, '--import', END_WITH_PARENT];
  return spawn(process.execPath, [...flags, fileURLToPath(program), ...args], {
    env,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Runs a program to its end. @throws Error naming it when it fails */
export async function runToEnd(options: ManagedProcessOptions): Promise<void> {
  const [code, signal] = (await once(launch(options), 'exit')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`${options.name} failed (${signal ?? `exit code ${code}`}); what it said is above`);
}

/** A program that belongs to the service: once it has been ready it is started again whenever it ends. */
export class ManagedProcess {
  private process: ChildProcess;
  private startedAt = 0;
  private delay = RESTART_MS.first;
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
   * Resolves when `isReady` says so.
   * @throws Error when the process ends before: then its configuration is at fault, and trying again would not help
   */
  async ready(isReady: () => Promise<boolean>): Promise<void> {
    const poll = async (): Promise<void> => {
      while (!(await isReady())) await sleep(50, undefined, { signal: this.stopRequest.signal });
    };
    await Promise.race([poll(), this.failure.promise]);
    this.hasBeenReady = true;
  }

  /** SIGTERM; what does not end in time is killed. */
  async stop(): Promise<void> {
    this.stopRequest.abort();
    const { process: child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
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
    const { name, tell } = this.options;
    const { signal } = this.stopRequest;
    if (signal.aborted) return;
    if (!this.hasBeenReady) {
      this.failure.reject(new Error(`${name} ended before it was ready (${how}); what it said is above`));
      return;
    }
    if (performance.now() - this.startedAt > HEALTHY_MS) this.delay = RESTART_MS.first;
    tell(`${name} ended (${how}) and is started again in ${this.delay / 1000} s`);
    try {
      await sleep(this.delay, undefined, { signal });
    } catch {
      return;
    }
    this.delay = Math.min(this.delay * 2, RESTART_MS.longest);
    this.process = this.start();
  }
}
