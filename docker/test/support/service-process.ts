import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Command {
  name: string;
  file: string;
  args: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
}

/** A process that a container would run, and all it said. */
export class ServiceProcess {
  private text = '';
  private readonly child: ChildProcess;

  constructor(private readonly command: Command) {
    const { file, args, cwd, uid } = command;
    // Only what a container would have: nothing of the tests' own environment.
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', ...command.env };
    this.child = spawn(file, [...args], { cwd, env, uid, gid: uid, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => (this.text += String(chunk)));
    this.child.on('error', (error) => (this.text += String(error)));
  }

  get output(): string {
    return this.text;
  }

  /** @throws Error with what it said when it ends otherwise than with 0 */
  async succeeds(): Promise<string> {
    const [code] =
      this.child.exitCode === null ? ((await once(this.child, 'close')) as [number | null]) : [this.child.exitCode];
    if (code !== 0) throw new Error(`${this.command.name} ended with ${code}:\n${this.text.slice(-4_000)}`);
    return this.text;
  }

  /** @throws Error with what it said when it ends before, or takes longer than two minutes */
  async until(isReady: () => Promise<boolean> | boolean): Promise<void> {
    const deadline = Date.now() + 120_000;
    while (!(await isReady())) {
      if (this.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${this.command.name} is not ready:\n${this.text.slice(-4_000)}`);
      }
      await sleep(100);
    }
  }

  /** SIGTERM, as `docker stop`. @returns the exit code; null when it had to be killed */
  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const ended = once(this.child, 'exit') as Promise<[number | null]>;
    this.child.kill('SIGTERM');
    const killer = setTimeout(() => this.child.kill('SIGKILL'), 15_000);
    const [code] = await ended;
    clearTimeout(killer);
    return code;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
