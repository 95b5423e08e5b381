import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';

const ROOT = join(import.meta.dirname, '../../../..');

/** A built program of this repository, run as a child process. */
export class Program {
  private readonly stderrLines: string[] = [];
  private readonly stdoutLines: string[] = [];
  private isClosed = false;

  private constructor(private readonly child: ChildProcess) {
    for (const [stream, lines] of [
      [child.stdout, this.stdoutLines],
      [child.stderr, this.stderrLines],
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

  /** Output to stdout. */
  get output(): string {
    return this.stdoutLines.join('\n');
  }

  /** Output to stderr and stdout, for the message of a failed test. */
  get allOutput(): string {
    return [...this.stderrLines, ...this.stdoutLines].join('\n');
  }

  /**
   * Resolves with the first match in a line of stdout or stderr.
   *
   * @throws Error with the output if the program ends without a matching line
   */
  async waitForLine(pattern: RegExp): Promise<RegExpExecArray> {
    const describeAwaited = () => `${String(pattern)}:\n${this.allOutput}`;
    return waitUntilFound(describeAwaited, () => {
      const match = [...this.stdoutLines, ...this.stderrLines]
        .map((line) => pattern.exec(line))
        .find((found) => found !== null);
      if (!match && this.isClosed) throw new Error(`Not in the output: ${describeAwaited()}`);
      return match;
    });
  }

  /** Resolves with the exit code, or with `null` after a signal. */
  async waitForExit(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }

  async kill(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    await this.waitForExit();
  }
}
