import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '../../../..');
const START_LIMIT_MS = 60_000;

/** A program of this repository as a process of its own, as it was built. */
export class Program {
  readonly lines: string[] = [];
  private readonly out: string[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly child: ChildProcess) {
    for (const [stream, lines] of [
      [child.stdout, this.out],
      [child.stderr, this.lines],
    ] as const) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        for (const look of this.waiting) look();
      });
    }
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
  async says(pattern: RegExp, limit = START_LIMIT_MS): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const match = [...this.out, ...this.lines].map((line) => pattern.exec(line)).find((found) => found !== null);
        if (!match) return;
        settle();
        resolve(match);
      };
      const fail = (): void => {
        settle();
        reject(new Error(`Never said ${String(pattern)}:\n${this.words}`));
      };
      const timer = setTimeout(fail, limit);
      const settle = (): void => {
        clearTimeout(timer);
        this.waiting.delete(look);
        this.child.off('close', fail);
      };
      this.waiting.add(look);
      this.child.once('close', fail);
      look();
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
