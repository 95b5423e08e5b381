import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM_ENVIRONMENT } from '../process/program-environment.js';

const ROOT = resolve(import.meta.dirname, '../../../..');
const END_WITH_PARENT = join(ROOT, 'packages/platform/dist/app/end-with-parent.js');
/** Milliseconds; only end processes that hang, because on a busy machine a start takes much longer than usual. */
const START_TIMEOUT_MS = 200_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 25;

/** Environment variables of a process; variables with the value undefined are omitted. */
export type EnvironmentVariables = Readonly<Record<string, string | number | undefined>>;

/** A program of the built service in a separate process that writes its log to a file. */
export class ServiceProcess {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {}

  /**
   * @param entry - path of the built program, absolute or in the repository, such as `apps/gateway/dist/main.js`
   * @param variables - environment of the program in addition to PROGRAM_ENVIRONMENT
   * @throws Error if the program was not built
   */
  static start(name: string, entry: string, variables: EnvironmentVariables, logFile: string): ServiceProcess {
    const program = resolve(ROOT, entry);
    if (!existsSync(program)) throw new Error(`${entry} is missing; run \`npm run build\` first`);
    const env: NodeJS.ProcessEnv = { ...PROGRAM_ENVIRONMENT };
    for (const [key, value] of Object.entries(variables)) if (value !== undefined) env[key] = String(value);
    const log = openSync(logFile, 'a');
    try {
      const flags = ['--import', END_WITH_PARENT];
      const child = spawn(process.execPath, [...flags, program], { env, stdio: ['ignore', log, log, 'ipc'] });
      return new ServiceProcess(name, child, logFile);
    } finally {
      closeSync(log);
    }
  }

  /** Process id; 0 if the program could not be started. */
  get id(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Output lines of the process. */
  get logs(): string[] {
    return readFileSync(this.logFile, 'utf8').split('\n').filter(Boolean);
  }

  /**
   * Polls `find` until it returns a value other than undefined.
   *
   * @throws Error with the end of the log if the process exits first or the start timeout elapses
   */
  async waitFor<Found>(what: string, find: () => Promise<Found | undefined> | Found | undefined): Promise<Found> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const found = await find();
      if (found !== undefined) return found;
      const problem = this.isRunning ? undefined : `${this.name} exited before ${what}`;
      const timeout = Date.now() > deadline ? `${this.name}: no ${what} within ${START_TIMEOUT_MS} ms` : undefined;
      if (problem ?? timeout) throw new Error(`${problem ?? timeout}:\n${this.logs.slice(-30).join('\n')}`);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /** Waits until `/health/ready` below this process's URL succeeds. */
  async waitUntilReady(url: string): Promise<void> {
    await this.waitFor('its readiness', async () => ((await isReady(url)) ? true : undefined));
  }

  /**
   * Waits for the exit of a program that ends by itself.
   *
   * @throws Error with the end of the log if the program fails
   */
  async waitForExit(): Promise<void> {
    if (this.isRunning) await once(this.child, 'exit');
    if (this.child.exitCode !== 0) throw new Error(`${this.name} failed:\n${this.logs.slice(-30).join('\n')}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** Stops the process with SIGTERM. @returns the exit code of the process; null if it had to be killed */
  async stop(): Promise<number | null> {
    if (!this.isRunning) return this.child.exitCode;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const killTimer = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(killTimer);
    return this.child.exitCode;
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}
