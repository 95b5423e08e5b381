import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { PictureTooLargeError, prepareSharp, renderPicture } from './picture.js';
import { RENDERER_READY } from './render-task.js';
import type { RenderAnswer, RenderTask } from './render-task.js';

/*
 * A program of its own: decodes one picture at a time for the service, which tells it what to make over the channel
 * of messages and hands over the bytes through a pipe. Pictures come from anywhere, and their decoders are large and
 * written in C: what goes wrong here ends here. It knows no secret and is given no address.
 */

/** Where the pipe for bytes is, in both directions; 0 to 2 are nothing, 3 is the channel of messages. */
const CHANNEL = 4;
/** Requests come first. */
const NICE = 10;
/** Where memory runs out, the system shall end this and not the service. */
const OUT_OF_MEMORY_FIRST = '1000';

const channel = new Socket({ fd: CHANNEL });

function receive(size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  return new Promise((resolve) => {
    if (size === 0) return resolve(bytes);
    const take = (chunk: Buffer) => {
      filled += chunk.copy(bytes, filled);
      if (filled < size) return;
      channel.off('data', take).pause();
      resolve(bytes);
    };
    channel.on('data', take).resume();
  });
}

async function work({ kind, size }: RenderTask): Promise<void> {
  const source = await receive(size);
  try {
    const { bytes, picture } = await renderPicture(source, kind);
    answer({ ...picture, size: bytes.length });
    channel.write(bytes);
  } catch (error) {
    answer({ refused: error instanceof PictureTooLargeError ? 'TOO_LARGE' : 'UNREADABLE', why: String(error) });
  }
}

function answer(message: RenderAnswer): void {
  process.send?.(message);
}

function stepBack(): void {
  try {
    setPriority(NICE);
    writeFileSync('/proc/self/oom_score_adj', OUT_OF_MEMORY_FIRST);
  } catch {
    // Only some systems know these.
  }
}

stepBack();
prepareSharp();
process.on('disconnect', () => process.exit());
channel.on('error', () => process.exit());
process.on('message', (task: RenderTask) => void work(task));
process.send?.(RENDERER_READY);
