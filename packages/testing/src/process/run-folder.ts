import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'fwtest-';
const MEMORY_FOLDER = '/dev/shm';
const GIB = 1024 ** 3;
/** A run keeps less than a third of it in files. */
const MEMORY_NEEDED = 8 * GIB;
const LEFTOVER_AGE_MS = 12 * 60 * 60 * 1000;

/**
 * Makes the folder that all temporary files of a run of the tests go to; TMPDIR names it from then on.
 *
 * It is in memory where there is enough, unless TMPDIR says otherwise. Each database of a suite is some thousand files
 * that are soon deleted, and ext4 passes over the inodes of all that were deleted in the last half minute whenever it
 * makes a file: that was a fifth of the processor time of a run.
 */
export function makeRunFolder(): string {
  const parent = process.env.TMPDIR ?? (memoryIsAmple() ? MEMORY_FOLDER : tmpdir());
  removeLeftovers(parent);
  const folder = mkdtempSync(join(parent, PREFIX));
  // Servers that run as another user have folders of their own in it; what matters inside is private.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return folder;
}

function memoryIsAmple(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return Math.min(bavail * bsize, process.availableMemory()) >= MEMORY_NEEDED;
  } catch {
    return false;
  }
}

/** Runs that were killed have left their folders. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(PREFIX))) {
    const folder = join(parent, name);
    try {
      if (Date.now() - statSync(folder).mtimeMs > LEFTOVER_AGE_MS) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's, or removed by a run that started at the same moment.
    }
  }
}
