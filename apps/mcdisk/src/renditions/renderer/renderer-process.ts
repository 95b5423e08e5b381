import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { minimalEnvironment, ProcessLimits, type ResourceLimits } from '../process-limits.js';
import type { RenderResponse, RenderedPicture, RenderTask } from './render-task.js';

/** The renderer refused a picture that can never be rendered. */
export class PictureRefusedError extends Error {
  override readonly name = 'PictureRefusedError';

  constructor(
    readonly isTooLarge: boolean,
    reason: string,
  ) {
    super(reason);
  }
}

/** The renderer exited while rendering: it crashed, or was killed because it exceeded a limit. */
export class RendererEndedError extends Error {
  override readonly name = 'RendererEndedError';
}

/** The renderer does not start, for a reason other than the picture. */
export class RendererStartError extends Error {
  override readonly name = 'RendererStartError';
}

/** A rendered picture and its bytes; the renderer is busy until they have been read. */
export interface RenderResult extends RenderedPicture {
  /** Bytes. */
  size: number;
  bytes: Readable;
}

/** Path of the renderer's program: the compiled file, or the source file when this file runs from source. */
const PROGRAM_PATH = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './renderer.ts' : './renderer.js', import.meta.url),
);
/** File descriptor of the pipe that transfers the bytes of pictures. */
const DATA_FD = 4;
/**
 * Flags of this process that the renderer must not inherit, because they would load secrets from a file or open the
 * same debugger port.
 */
const EXCLUDED_FLAGS = /^--(env-file|inspect)/;
/** Resident memory above which a renderer is replaced. */
const MEMORY_THRESHOLD_BYTES = 512 * 1024 * 1024;
/** Maximum number of characters of the renderer's standard error output that an error message contains. */
const MAX_STDERR_LENGTH = 2_000;
/** V8 heap limit in mebibytes; pictures are stored outside the heap. */
const HEAP_FLAG = '--max-old-space-size=256';

/** A renderer process, which renders one picture at a time and exits when this process exits. */
export class RendererProcess {
  private readonly childProcess: ChildProcess;
  private readonly channel: Socket;
  private readonly processLimits: ProcessLimits;
  private readonly whenReady: Promise<unknown>;
  private readonly exited: Promise<never>;
  private isReady = false;
  private stderrTail = '';

  constructor(limits: ResourceLimits) {
    this.childProcess = fork(PROGRAM_PATH, [], {
      execArgv: [...process.execArgv.filter((flag) => !EXCLUDED_FLAGS.test(flag)), HEAP_FLAG],
      // Limits glibc's memory arenas, which otherwise grow with the number of cores.
      env: { ...minimalEnvironment(), MALLOC_ARENA_MAX: '2' },
      // The renderer has its own process group, so that a signal to the group of this process does not interrupt a
      // picture.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    });
    this.channel = this.childProcess.stdio[DATA_FD] as Socket;
    // Errors of the pipe are ignored, because the exit of the renderer reports the cause better.
    this.channel.on('error', () => undefined);
    this.childProcess.on('error', () => undefined);
    this.processLimits = new ProcessLimits(this.childProcess, limits);
    this.childProcess.stderr?.on(
      'data',
      (text: Buffer) => (this.stderrTail = `${this.stderrTail}${text.toString()}`.slice(-MAX_STDERR_LENGTH)),
    );
    this.whenReady = once(this.childProcess, 'message').then(() => (this.isReady = true));
    this.whenReady.catch(() => undefined);
    this.exited = this.watchExit();
    this.exited.catch(() => undefined);
    this.unref();
  }

  get isAlive(): boolean {
    return this.childProcess.exitCode === null && this.childProcess.signalCode === null && !this.childProcess.killed;
  }

  /** Returns true when the process should be replaced: the HEIC decoder never releases memory. */
  get exceedsMemoryThreshold(): boolean {
    return this.processLimits.peakMemoryBytes > MEMORY_THRESHOLD_BYTES;
  }

  /**
   * Renders one picture.
   * @param consume reads the bytes of the rendition to the end
   * @throws PictureRefusedError
   * @throws RendererEndedError, RendererStartError; the renderer cannot be used afterwards
   * @throws errors of the source or of `consume`; the renderer cannot be used afterwards
   */
  async render<Result>(
    task: RenderTask,
    source: Readable,
    consume: (rendered: RenderResult) => Promise<Result>,
  ): Promise<Result> {
    this.childProcess.ref();
    const stopEnforcing = this.processLimits.startEnforcing();
    try {
      await Promise.race([this.whenReady, this.exited]);
      return await Promise.race([this.execute(task, source, consume), this.exited]);
    } catch (error) {
      // After any other error the renderer is killed, because the state of the data channel is unknown.
      if (!(error instanceof PictureRefusedError)) this.kill();
      throw error;
    } finally {
      stopEnforcing();
      source.destroy();
      this.unref();
    }
  }

  kill(): void {
    this.childProcess.kill('SIGKILL');
  }

  private async execute<Result>(
    task: RenderTask,
    source: Readable,
    consume: (rendered: RenderResult) => Promise<Result>,
  ): Promise<Result> {
    const received = once(this.childProcess, 'message') as Promise<[RenderResponse]>;
    received.catch(() => undefined);
    this.childProcess.send(task);
    await this.send(source, task.size);
    const [response] = await received;
    if ('refused' in response) throw new PictureRefusedError(response.refused === 'TOO_LARGE', response.reason);
    return consume({ ...response, bytes: Readable.from(bytesOf(this.channel, response.size), { objectMode: false }) });
  }

  private async send(source: Readable, size: number): Promise<void> {
    let sent = 0;
    const counted = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        sent += chunk.length;
        if (sent > size) break;
        yield chunk;
      }
    };
    try {
      await pipeline(source, counted, this.channel, { end: false });
    } catch (error) {
      // EPIPE means that the renderer has exited, so that `exited` throws the error to report.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') await this.exited;
      throw error;
    }
    if (sent !== size) throw new Error(`The store returned ${sent} bytes of ${size}`);
  }

  private async watchExit(): Promise<never> {
    const [code, signal] = (await once(this.childProcess, 'exit').catch((error: unknown) => [String(error), null])) as [
      number | string | null,
      NodeJS.Signals | null,
    ];
    const cause = this.processLimits.exceededLimit ?? signal ?? `exit code ${code}`;
    if (!this.isReady) throw new RendererStartError(`The renderer does not start: ${cause} ${this.stderrTail}`);
    throw new RendererEndedError(`The renderer exited: ${cause}`);
  }

  /** Lets this process exit while the renderer is idle. */
  private unref(): void {
    this.childProcess.unref();
    this.childProcess.channel?.unref();
    this.channel.unref();
    (this.childProcess.stderr as Socket | null)?.unref();
  }
}

async function* bytesOf(channel: Socket, size: number): AsyncGenerator<Buffer> {
  const chunks = channel.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  for (let left = size; left > 0;) {
    const next = await chunks.next();
    if (next.done) throw new RendererEndedError('The renderer closed the data channel');
    left -= next.value.length;
    yield next.value;
  }
  await chunks.return?.();
}
