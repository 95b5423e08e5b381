import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { EventResponse, Hello } from '@family-watch/domain/messages/contracts/socket-events';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';

const PYTHON = '/usr/bin/python3';
const PROGRAM = join(import.meta.dirname, '../e2e/python/client.py');

/** A line of output of the Python client. */
interface ClientOutput {
  /** Kind of output, for example `hello`, `messages` or `gap`. */
  what: string;
  hello?: Hello;
  frame?: MessagesFrame;
  answer?: EventResponse;
}

/** A child process that runs a client in Python. */
export class PythonClient {
  readonly outputs: ClientOutput[] = [];
  private errors = '';

  private constructor(private readonly child: ChildProcessByStdio<Writable, Readable, Readable>) {
    createInterface({ input: child.stdout }).on('line', (line) => this.outputs.push(JSON.parse(line) as ClientOutput));
    child.stderr.on('data', (chunk) => (this.errors += String(chunk)));
  }

  static async signIn(url: string, credentials: object): Promise<PythonClient> {
    const client = new PythonClient(spawn(PYTHON, ['-u', PROGRAM, url], { stdio: ['pipe', 'pipe', 'pipe'] }));
    await client.runCommand('sign in', credentials, 'signed in');
    return client;
  }

  get frames(): MessagesFrame[] {
    return this.outputs.flatMap(({ frame }) => frame ?? []);
  }

  /** Received messages of the mailbox, which have a sequence number. */
  get durable(): MessageEnvelope[] {
    return this.frames.flatMap(({ messages }) => messages).filter(({ seq }) => seq !== undefined);
  }

  /** Sequence number up to which the client has received messages; 0 before the first. */
  get last(): number {
    return this.frames.findLast(({ through }) => through !== undefined)?.through ?? 0;
  }

  async connect(position: { last?: number; epoch?: number } = {}): Promise<Hello> {
    const { hello } = await this.runCommand('connect', position, 'hello');
    if (!hello) throw new Error('No hello');
    return hello;
  }

  async send(event: string, payload: object): Promise<EventResponse> {
    const { answer } = await this.runCommand('send', { event, payload }, 'answer');
    if (!answer) throw new Error('No answer');
    return answer;
  }

  async disconnect(): Promise<void> {
    await this.runCommand('disconnect', {}, 'disconnected');
  }

  async waitUntil(holds: () => boolean, what: string): Promise<void> {
    const state = () => `${what}: ${JSON.stringify(this.outputs.slice(-5))}\n${this.errors}`;
    await waitUntil(state, () => {
      if (holds()) return true;
      if (this.child.exitCode !== null) throw new Error(`The client has ended before ${state()}`);
      return false;
    });
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async runCommand(command: string, details: object, wanted: string): Promise<ClientOutput> {
    const seen = this.outputs.length;
    const answer = () => this.outputs.slice(seen).find(({ what }) => what === wanted);
    this.child.stdin.write(`${JSON.stringify({ ...details, do: command })}\n`);
    await this.waitUntil(() => answer() !== undefined, wanted);
    return answer() ?? { what: wanted };
  }
}
