import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { PictureTooLargeError, prepareSharp, renderPicture } from './picture.js';
import { RENDERER_READY, type RenderResponse, type RenderTask } from './render-task.js';

/*
 * A separate program that renders one picture at a time for the service. Tasks arrive over the IPC channel, bytes over
 * a pipe. Pictures are untrusted and their decoders are large C libraries: a crash or an exploit is limited to this
 * process. The process gets no secrets and no database connection from the service.
 */

/** File descriptor of the pipe for bytes in both directions; 0 to 2 are standard streams, 3 is the IPC channel. */
const DATA_FD = 4;
/** Niceness of this process, so that the service, which handles requests, is scheduled first. */
const NICE_VALUE = 10;
/** Makes the kernel kill this process instead of the service when memory runs out. */
const OOM_SCORE_ADJUSTMENT = '1000';

const channel = new Socket({ fd: DATA_FD });

function receive(size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  return new Promise((resolve) => {
    if (size === 0) return resolve(bytes);
    const collect = (chunk: Buffer) => {
      filled += chunk.copy(bytes, filled);
      if (filled < size) return;
      channel.off('data', collect).pause();
      resolve(bytes);
    };
    channel.on('data', collect).resume();
  });
}

async function handleTask({ kind, size }: RenderTask): Promise<void> {
  const source = await receive(size);
  try {
    const { bytes, picture } = await renderPicture(source, kind);
    respond({ ...picture, size: bytes.length });
    channel.write(bytes);
  } catch (error) {
    respond({ refused: error instanceof PictureTooLargeError ? 'TOO_LARGE' : 'UNREADABLE', reason: String(error) });
  }
}

function respond(message: RenderResponse): void {
  process.send?.(message);
}

function lowerPriority(): void {
  try {
    setPriority(NICE_VALUE);
    writeFileSync('/proc/self/oom_score_adj', OOM_SCORE_ADJUSTMENT);
  } catch {
    // Not every operating system supports a scheduling priority and an OOM score.
  }
}

lowerPriority();
prepareSharp();
process.on('disconnect', () => process.exit());
channel.on('error', () => process.exit());
process.on('message', (task: RenderTask) => void handleTask(task));
process.send?.(RENDERER_READY);
