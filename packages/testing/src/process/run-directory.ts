import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DIRECTORY_PREFIX = 'fwtest-';
const MEMORY_DIRECTORY = '/dev/shm';
const GIB = 1024 ** 3;
/** Free memory that the run directory in memory requires; the files of a run need less than a third of this size. */
const REQUIRED_MEMORY_BYTES = 8 * GIB;
/** Milliseconds after which a run directory counts as left over from a killed run. */
const LEFTOVER_AGE_MS = 12 * 60 * 60 * 1000;

/**
 * Creates the directory for all temporary files of a test run and sets TMPDIR to it.
 *
 * The directory is in memory if enough memory is free and TMPDIR is not set. Each test database consists of about a
 * thousand files with a short lifetime. Whenever ext4 creates a file, it scans the inodes of all files deleted in the
 * last 30 s, which took a fifth of the processor time of a run.
 */
export function createRunDirectory(): string {
  const parent = process.env.TMPDIR ?? (hasEnoughMemory() ? MEMORY_DIRECTORY : tmpdir());
  removeLeftoverDirectories(parent);
  const directory = mkdtempSync(join(parent, DIRECTORY_PREFIX));
  // Servers that run as another user must be able to create directories in the run directory. Private files have
  // restrictive modes.
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  return directory;
}

function hasEnoughMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DIRECTORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= REQUIRED_MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** Removes the directories of killed runs. */
function removeLeftoverDirectories(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(DIRECTORY_PREFIX))) {
    const directory = join(parent, name);
    try {
      if (Date.now() - statSync(directory).mtimeMs > LEFTOVER_AGE_MS)
        rmSync(directory, { recursive: true, force: true });
    } catch {
      // The directory belongs to another user, or a run that started concurrently has removed it.
    }
  }
}
