import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createInterface } from 'node:readline';

const MAX_OUTPUT_LINES = 30;
const STOP_TIMEOUT_MS = 15_000;

/** Running child processes, which are killed when the benchmark exits. */
const runningProcesses = new Set<ChildProcess>();
process.once('exit', () => runningProcesses.forEach((child) => child.kill('SIGKILL')));

export interface ServerProcessOptions {
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Matches the output line that reports readiness. A process without this pattern is ready when it is spawned. */
  readyPattern?: RegExp;
  startTimeoutMs?: number;
}

/** A server in a child process, which is killed when the benchmark exits. */
export class ServerProcess {
  private readonly outputLines: string[] = [];

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Starts a process and waits until it is ready.
   *
   * @throws Error with the last output lines of the process when it exits or times out before it is ready
   */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const { name, command, args, env, cwd, readyPattern: ready, startTimeoutMs = 60_000 } = options;
    const child = spawn(command, args, { env: env ?? process.env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new ServerProcess(name, child);
    runningProcesses.add(child);
    child.once('exit', () => runningProcesses.delete(child));
    const isReady = new Promise<void>((resolve, reject) => {
      const onLine = (line: string): void => {
        server.outputLines.push(line);
        if (server.outputLines.length > MAX_OUTPUT_LINES) server.outputLines.shift();
        if (ready?.test(line)) resolve();
      };
      for (const stream of [child.stdout, child.stderr])
        if (stream) createInterface({ input: stream }).on('line', onLine);
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`${name} did not start:\n${server.outputLines.join('\n')}`)));
      if (!ready) resolve();
    });
    const startTimer = setTimeout(() => {
      server.outputLines.push(`The process was not ready in ${startTimeoutMs} ms`);
      child.kill('SIGKILL');
    }, startTimeoutMs);
    await isReady.finally(() => clearTimeout(startTimer));
    return server;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The last output lines, for failure messages. */
  get outputTail(): string {
    return this.outputLines.join('\n');
  }

  /** @throws Error with the last output lines when the process has exited */
  assertRunning(): void {
    if (this.isRunning) return;
    const { exitCode, signalCode } = this.child;
    throw new Error(`${this.name} exited with ${signalCode ?? exitCode}:\n${this.outputTail}`);
  }

  /** Resolves when the process has exited. @throws Error with its last output lines when the exit code is not 0 */
  async waitForExit(): Promise<void> {
    if (this.isRunning) await once(this.child, 'exit');
    if (this.child.exitCode !== 0) throw new Error(`${this.name} failed:\n${this.outputTail}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends SIGKILL and waits for the exit. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** Sends SIGTERM and waits for the exit. Sends SIGKILL after 15 seconds. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await Promise.race([exited, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    await this.kill();
  }
}
