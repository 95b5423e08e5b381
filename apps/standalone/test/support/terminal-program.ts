import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';

const ROOT = resolve(import.meta.dirname, '../../../..');
const END_WITH_PARENT_MODULE = join(ROOT, 'packages/platform/dist/app/end-with-parent.js');

/** A built program in a process group of its own, as a terminal starts it. */
export class TerminalProgram {
  /** Text of stdout and stderr. */
  output = '';
  readonly exit: Promise<[code: number | null, signal: NodeJS.Signals | null]>;

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (this.output += String(chunk)));
    this.exit = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  }

  /** @param entry - path of the built program in the repository */
  static start(entry: string, env: NodeJS.ProcessEnv, ...options: string[]): TerminalProgram {
    // Without END_WITH_PARENT_MODULE the program would outlive this process, because a signal of the terminal does not
    // reach the program's process group.
    const args = ['--import', END_WITH_PARENT_MODULE, join(ROOT, entry), ...options];
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as ('ignore' | 'pipe' | 'ipc')[];
    return new TerminalProgram(spawn(process.execPath, args, { env, stdio, detached: true }));
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Process ids in the log lines of the program and its child processes. */
  get loggedPids(): number[] {
    return [...new Set([...this.output.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid)))];
  }

  /** Log lines of the levels error and fatal. */
  get errorLines(): string[] {
    return this.output.split('\n').filter((line) => /"level":[56]0/.test(line) || /^\w*Error\b/.test(line));
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /**
   * Sends the signals that a program receives on Ctrl-C: SIGINT to the whole process group, and a signal that the
   * parent process forwards. The second signal is SIGTERM, because a second pending SIGINT would be discarded.
   */
  interrupt(): void {
    process.kill(-(this.child.pid ?? 0), 'SIGINT');
    this.child.kill('SIGTERM');
  }

  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    const describeAwaited = () => `${String(pattern)} in:\n${this.output.slice(-4_000)}`;
    await waitUntil(describeAwaited, () => pattern.test(this.output) || !this.isRunning);
    const match = pattern.exec(this.output);
    if (!match)
      throw new Error(`The program exited before it printed ${String(pattern)}:\n${this.output.slice(-8_000)}`);
    return match;
  }

  /** Waits until the program prints its URL. */
  async waitForUrl(): Promise<string> {
    const [, url = ''] = await this.waitForOutput(/Family Watch is ready at (http\S+) after/);
    return url;
  }
}

/** Returns the lines in which the embedded database reports that it ended a connection of a program. */
export function connectionsEndedByDatabase(dataDir: string): string[] {
  const log = readFileSync(join(dataDir, 'postgres', 'postgres.log'), 'utf8');
  return log.split('\n').filter((line) => line.includes('terminating connection due to administrator command'));
}
