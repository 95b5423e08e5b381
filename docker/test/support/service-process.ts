import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMIT_MS } from '@family-watch/testing/waiting/wait-for';

export interface Command {
  name: string;
  file: string;
  args: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
}

/** A process that a container would run, with its output. */
export class ServiceProcess {
  private outputText = '';
  private readonly child: ChildProcess;

  constructor(private readonly command: Command) {
    const { file, args, cwd, uid } = command;
    // Like a container, the process gets only the given variables and not the environment of the tests.
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', ...command.env };
    this.child = spawn(file, [...args], { cwd, env, uid, gid: uid, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => (this.outputText += String(chunk)));
    this.child.on('error', (error) => (this.outputText += String(error)));
  }

  get processId(): number | undefined {
    return this.child.pid;
  }

  get output(): string {
    return this.outputText;
  }

  /**
   * Waits for the exit and returns the output.
   *
   * @throws Error with the output if the exit code is not 0
   */
  async waitForSuccess(): Promise<string> {
    const [code] =
      this.child.exitCode === null ? ((await once(this.child, 'close')) as [number | null]) : [this.child.exitCode];
    if (code !== 0) throw new Error(`${this.command.name} exited with ${code}:\n${this.outputText.slice(-4_000)}`);
    return this.outputText;
  }

  /**
   * Waits until `isReady` returns true.
   *
   * @throws Error with the output if the process exits first or `isReady` does not return true within {@link LIMIT_MS}
   */
  async waitFor(isReady: () => Promise<boolean> | boolean): Promise<void> {
    const deadline = Date.now() + LIMIT_MS;
    while (!(await isReady())) {
      if (this.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${this.command.name} is not ready:\n${this.outputText.slice(-4_000)}`);
      }
      await sleep(100);
    }
  }

  /** Stops the process with SIGTERM, like `docker stop`. Returns the exit code, or null if it had to be killed. */
  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const exited = once(this.child, 'exit') as Promise<[number | null]>;
    this.child.kill('SIGTERM');
    const killer = setTimeout(() => this.child.kill('SIGKILL'), LIMIT_MS);
    const [code] = await exited;
    clearTimeout(killer);
    return code;
  }
}

/** Returns whether a request of the URL succeeds. */
export async function isSuccessful(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
