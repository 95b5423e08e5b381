import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tests that make or play films need it: `apt-get install ffmpeg`. */
export const FFMPEG_IS_INSTALLED = spawnSync('ffmpeg', ['-version']).status === 0;

/** A film of a second: a moving pattern and a tone, taken where the metadata says. */
export function film(name: string, ...options: string[]): Buffer {
  return inFolder((folder) => {
    const path = join(folder, name);
    execFileSync('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'testsrc=duration=1:size=320x240:rate=10',
      '-f',
      'lavfi',
      '-i',
      'sine=duration=1',
      '-pix_fmt',
      'yuv420p',
      '-c:v',
      'mpeg4',
      '-c:a',
      'aac',
      '-shortest',
      ...options,
      path,
    ]);
    return readFileSync(path);
  });
}

/** Digests of every picture and every piece of sound, decoded: equal for films that play alike. */
export function played(bytes: Buffer): string {
  return inFolder((folder) => {
    const path = join(folder, 'film');
    writeFileSync(path, bytes);
    const maps = ['-map', '0:v', '-map', '0:a'];
    return execFileSync('ffmpeg', ['-v', 'error', '-i', path, ...maps, '-f', 'framemd5', '-'], { encoding: 'utf8' });
  });
}

function inFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'mcdisk-film-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
