import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM_ENVIRONMENT } from '../process/program-environment.js';

const ROOT = resolve(import.meta.dirname, '../../../..');
const END_WITH_PARENT = join(ROOT, 'packages/platform/dist/process/end-with-parent.js');
/** Far beyond what a start takes, so that only a start that hangs is ended. */
const START_LIMIT_MS = 90_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 25;

/** Variables of a process; those without a value are left out. */
export type Variables = Readonly<Record<string, string | number | undefined>>;

/** One program of the built product, in a process of its own that writes its log to a file. */
export class ServiceProcess {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {}

  /**
   * @param entry - path of the built program below the repository, such as `apps/gateway/dist/main.js`
   * @param variables - its environment; of this process's environment it gets PATH only
   * @throws Error when the program was not built
   */
  static start(name: string, entry: string, variables: Variables, logFile: string): ServiceProcess {
    const program = join(ROOT, entry);
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

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** What the process has written, line by line. */
  get logs(): string[] {
    return readFileSync(this.logFile, 'utf8').split('\n').filter(Boolean);
  }

  /** What `look` finds as soon as it finds something. @throws Error with the end of the log when the process ends first */
  async until<Found>(what: string, look: () => Promise<Found | undefined> | Found | undefined): Promise<Found> {
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const problem = this.running ? undefined : `${this.name} ended before ${what}`;
      const late = Date.now() > deadline ? `${this.name}: no ${what} within ${START_LIMIT_MS} ms` : undefined;
      if (problem ?? late) throw new Error(`${problem ?? late}:\n${this.logs.slice(-30).join('\n')}`);
      await sleep(POLL_MS);
    }
  }

  /** Waits for `/health/ready` of an address that leads to this process. */
  async untilReady(url: string): Promise<void> {
    await this.until('its readiness', async () => ((await isReady(url)) ? true : undefined));
  }

  /** Waits for the end of a program that ends by itself. @throws Error when it fails */
  async ended(): Promise<void> {
    if (this.running) await once(this.child, 'exit');
    if (this.child.exitCode !== 0) throw new Error(`${this.name} failed:\n${this.logs.slice(-30).join('\n')}`);
  }

  /** Ends the process as a power cut does. */
  async kill(): Promise<void> {
    if (!this.running) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    if (!this.running) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const killer = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(killer);
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}
