import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { minimalEnvironment } from '../processes/minimal-environment.js';
import { ProcessLimits } from '../processes/process-limits.js';
import type { ResourceLimits } from '../processes/process-limits.js';
import type { RenderAnswer, RenderedPicture, RenderTask } from './render-task.js';

/** Of this picture nothing can be made, now or later. */
export class PictureRefusedError extends Error {
  override readonly name = 'PictureRefusedError';

  constructor(
    readonly tooLarge: boolean,
    why: string,
  ) {
    super(why);
  }
}

/** The renderer ended over a picture: it crashed, or was killed because it took too much. */
export class RendererEndedError extends Error {
  override readonly name = 'RendererEndedError';
}

/** A renderer does not even start: no picture is to blame. */
export class RendererBrokenError extends Error {
  override readonly name = 'RendererBrokenError';
}

/** What was made, and its bytes; the renderer is busy until they have been read. */
export interface RenderResult extends RenderedPicture {
  /** Bytes. */
  size: number;
  bytes: Readable;
}

/** Built or from source, it runs as we do. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './renderer.ts' : './renderer.js', import.meta.url),
);
const CHANNEL = 4;
/** Flags of ours that would give it our variables, or our debugger. */
const NOT_FOR_IT = /^--(env-file|inspect)/;
const SWOLLEN_BYTES = 512 * 1024 * 1024;
/** Characters of what a renderer says when it does not start. */
const LAST_WORDS = 2_000;
/** Mebibytes of JavaScript's own heap; pictures are not in it. */
const HEAP_FLAG = '--max-old-space-size=256';

/** One renderer, for one picture at a time. It ends with us, and whenever a picture does it harm. */
export class RendererProcess {
  private readonly child: ChildProcess;
  private readonly channel: Socket;
  private readonly limits: ProcessLimits;
  private readonly ready: Promise<unknown>;
  private readonly ended: Promise<never>;
  private isReady = false;
  private said = '';

  constructor(limits: ResourceLimits) {
    this.child = fork(PROGRAM, [], {
      execArgv: [...process.execArgv.filter((flag) => !NOT_FOR_IT.test(flag)), HEAP_FLAG],
      // glibc would keep a pool of memory for each core.
      env: { ...minimalEnvironment(), MALLOC_ARENA_MAX: '2' },
      // A signal for our whole group shall not end it over a picture.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    });
    this.channel = this.child.stdio[CHANNEL] as Socket;
    // The end of the process says more than a broken pipe does.
    this.channel.on('error', () => undefined);
    this.child.on('error', () => undefined);
    this.limits = new ProcessLimits(this.child, limits);
    this.child.stderr?.on('data', (text: Buffer) => (this.said = `${this.said}${text.toString()}`.slice(-LAST_WORDS)));
    this.ready = once(this.child, 'message').then(() => (this.isReady = true));
    this.ready.catch(() => undefined);
    this.ended = this.end();
    this.ended.catch(() => undefined);
    this.rest();
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && !this.child.killed;
  }

  /** What the decoder of HEIC has once taken it never gives back. */
  get exceedsMemoryThreshold(): boolean {
    return this.limits.peak > SWOLLEN_BYTES;
  }

  /**
   * @param consume reads the bytes of what was made to their end
   * @throws PictureRefusedError
   * @throws RendererEndedError, RendererBrokenError; this renderer is of no use any more
   * @throws what the source or `consume` throws; neither is this one
   */
  async render<Result>(
    task: RenderTask,
    source: Readable,
    consume: (rendered: RenderResult) => Promise<Result>,
  ): Promise<Result> {
    this.child.ref();
    const stopWatching = this.limits.watch();
    try {
      await Promise.race([this.ready, this.ended]);
      return await Promise.race([this.work(task, source, consume), this.ended]);
    } catch (error) {
      // After anything but an answer nobody knows what is still on the channel.
      if (!(error instanceof PictureRefusedError)) this.kill();
      throw error;
    } finally {
      stopWatching();
      source.destroy();
      this.rest();
    }
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private async work<Result>(
    task: RenderTask,
    source: Readable,
    consume: (rendered: RenderResult) => Promise<Result>,
  ): Promise<Result> {
    const answered = once(this.child, 'message') as Promise<[RenderAnswer]>;
    answered.catch(() => undefined);
    this.child.send(task);
    await this.hand(source, task.size);
    const [answer] = await answered;
    if ('refused' in answer) throw new PictureRefusedError(answer.refused === 'TOO_LARGE', answer.why);
    return consume({ ...answer, bytes: Readable.from(bytesOf(this.channel, answer.size), { objectMode: false }) });
  }

  private async hand(source: Readable, size: number): Promise<void> {
    let handed = 0;
    const counted = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        handed += chunk.length;
        if (handed > size) break;
        yield chunk;
      }
    };
    try {
      await pipeline(source, counted, this.channel, { end: false });
    } catch (error) {
      // A broken pipe means that the renderer has ended, which is told by its end.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') await this.ended;
      throw error;
    }
    if (handed !== size) throw new Error(`The store gave ${handed} bytes of ${size}`);
  }

  private async end(): Promise<never> {
    const [code, signal] = (await once(this.child, 'exit').catch((error: unknown) => [String(error), null])) as [
      number | string | null,
      NodeJS.Signals | null,
    ];
    const how = this.limits.exceeded ?? signal ?? `exit code ${code}`;
    if (!this.isReady) throw new RendererBrokenError(`The renderer does not start: ${how} ${this.said}`);
    throw new RendererEndedError(`The renderer ended: ${how}`);
  }

  /** Idle, it keeps no process alive. */
  private rest(): void {
    this.child.unref();
    this.child.channel?.unref();
    this.channel.unref();
    (this.child.stderr as Socket | null)?.unref();
  }
}

async function* bytesOf(channel: Socket, size: number): AsyncGenerator<Buffer> {
  const chunks = channel.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  for (let left = size; left > 0;) {
    const next = await chunks.next();
    if (next.done) throw new RendererEndedError('The renderer broke off');
    left -= next.value.length;
    yield next.value;
  }
  await chunks.return?.();
}
