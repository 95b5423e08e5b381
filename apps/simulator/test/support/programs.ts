import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';

const ROOT = join(import.meta.dirname, '../../../..');

/** A program of this repository as a process of its own, as it was built. */
export class Program {
  readonly lines: string[] = [];
  private readonly out: string[] = [];
  private isClosed = false;

  private constructor(private readonly child: ChildProcess) {
    for (const [stream, lines] of [
      [child.stdout, this.out],
      [child.stderr, this.lines],
    ] as const) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => lines.push(line));
    }
    child.once('close', () => (this.isClosed = true));
  }

  static run(main: string, args: string[], env: NodeJS.ProcessEnv = {}): Program {
    const options = {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
    };
    return new Program(spawn(process.execPath, [join(ROOT, main), ...args], options));
  }

  /** What it wrote to stdout. */
  get output(): string {
    return this.out.join('\n');
  }

  /** Everything it wrote, for the message of a test that fails. */
  get words(): string {
    return [...this.lines, ...this.out].join('\n');
  }

  /** Resolves with the first match in a line of stdout or stderr. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const wanted = () => `${String(pattern)}:\n${this.words}`;
    return waitUntilFound(wanted, () => {
      const match = [...this.out, ...this.lines].map((line) => pattern.exec(line)).find((found) => found !== null);
      if (!match && this.isClosed) throw new Error(`Never said ${wanted()}`);
      return match;
    });
  }

  /** Resolves with the exit code; `null` after a signal. */
  async ends(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }

  async kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    await this.ends();
  }
}

/** A port that nobody listens on now, for a server that must come back to the same address. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
