import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CREATE_VIDEO =
  '-nostdin -v error -f lavfi -i testsrc=duration=1:size=320x240:rate=10 -f lavfi -i sine=duration=1 ' +
  '-pix_fmt yuv420p -c:v mpeg4 -c:a aac -shortest';

/** Creates a video of one second with a moving pattern and a tone. `options` may add metadata, such as a location. */
export function createVideo(name: string, ...options: string[]): Buffer {
  return withTemporaryDirectory((directory) => {
    const path = join(directory, name);
    execFileSync('ffmpeg', [...CREATE_VIDEO.split(' '), ...options, path]);
    return readFileSync(path);
  });
}

/** Returns the digests of all decoded frames and of the sound, which are equal for videos that play alike. */
export function decodedDigests(bytes: Buffer): string {
  return withTemporaryDirectory((directory) => {
    const path = join(directory, 'video');
    writeFileSync(path, bytes);
    const maps = ['-map', '0:v', '-map', '0:a'];
    return execFileSync('ffmpeg', ['-v', 'error', '-i', path, ...maps, '-f', 'framemd5', '-'], { encoding: 'utf8' });
  });
}

function withTemporaryDirectory<Result>(work: (directory: string) => Result): Result {
  const directory = mkdtempSync(join(tmpdir(), 'mcdisk-video-'));
  try {
    return work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
