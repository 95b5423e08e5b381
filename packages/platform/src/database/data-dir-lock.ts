import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const LOCK_FILE = 'in-use.lock';
const OWNER_FILE = 'in-use.pid';
const SQLITE_BUSY = 5;

/** Another process works on the same data folder. */
export class DataDirInUseError extends Error {
  constructor(
    readonly dataDir: string,
    readonly pid: number | undefined,
  ) {
    super(
      `The data folder ${dataDir} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}. ` +
        'Stop that process first, or give this one a folder of its own (DATA_DIR).',
    );
    this.name = 'DataDirInUseError';
  }
}

/** Exclusive use of one data folder, held until `release()` or the end of the process, however it ends. */
export interface DataDirLock {
  /** The folder's real path. */
  readonly dataDir: string;
  release(): void;
}

/**
 * Takes the data folder for this process alone.
 *
 * The lock is the kernel's (an fcntl or LockFileEx lock held through SQLite), not the file's existence:
 * it ends with the process, even by `kill -9`, and neither stale files nor reused process ids fool it.
 *
 * @param dataDir - folder; it is made when it does not exist
 * @throws DataDirInUseError when another process, or this one, holds it
 */
export function acquireDataDirLock(dataDir: string): DataDirLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  const folder = realpathSync(dataDir);
  const file = join(folder, LOCK_FILE);
  // Made by us, because SQLite would let everyone read it, and a reader's lock keeps an owner out.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new DataDirInUseError(folder, readOwner(folder));
    throw error;
  }
  writeFileSync(join(folder, OWNER_FILE), `${process.pid}\n`);
  let held = true;
  return {
    dataDir: folder,
    release: () => {
      if (!held) return;
      held = false;
      database.close();
    },
  };
}

function readOwner(folder: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(folder, OWNER_FILE), 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}
