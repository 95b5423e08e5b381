import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInterface } from 'node:readline';

const LAST_LINES = 30;
const STOP_LIMIT_MS = 15_000;

/** None survives the bench, however it ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export interface ServerProcessOptions {
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** A line of the server's output that says it is ready; absent: ready when started. */
  ready?: RegExp;
  startTimeoutMs?: number;
}

/** A server under test, as a process of its own. It ends with the bench. */
export class ServerProcess {
  private readonly words: string[] = [];

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {}

  /** @throws Error with the server's last words when it does not come up */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const { name, command, args, env, cwd, ready, startTimeoutMs = 60_000 } = options;
    const child = spawn(command, args, { env: env ?? process.env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new ServerProcess(name, child);
    running.add(child);
    child.once('exit', () => running.delete(child));
    const isReady = new Promise<void>((resolve, reject) => {
      const listen = (line: string): void => {
        server.words.push(line);
        if (server.words.length > LAST_LINES) server.words.shift();
        if (ready?.test(line)) resolve();
      };
      for (const stream of [child.stdout, child.stderr])
        if (stream) createInterface({ input: stream }).on('line', listen);
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`${name} did not start:\n${server.words.join('\n')}`)));
      if (!ready) resolve();
    });
    const patience = setTimeout(() => {
      server.words.push(`It was not ready in ${startTimeoutMs} ms`);
      child.kill('SIGKILL');
    }, startTimeoutMs);
    await isReady.finally(() => clearTimeout(patience));
    return server;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** What it has said last, for reports of failures. */
  get outputTail(): string {
    return this.words.join('\n');
  }

  /** Resolves when the process has ended by itself. @throws Error with its last words when it has failed */
  async waitForExit(): Promise<void> {
    if (this.isRunning) await once(this.child, 'exit');
    if (this.child.exitCode !== 0) throw new Error(`${this.name} failed:\n${this.outputTail}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await Promise.race([gone, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    await this.kill();
  }
}

/** Asks until the answer is true. @throws Error naming what did not come about in time */
export async function waitUntil(what: string, isSo: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Not in ${timeoutMs} ms: ${what}`);
    await sleep(100);
  }
}
