import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCK_FILE = 'in-use.lock';
const OWNER_FILE = 'in-use.pid';
const SQLITE_BUSY = 5;

/** Another process uses the same data directory. */
export class DataDirInUseError extends Error {
  constructor(
    readonly dataDir: string,
    readonly pid: number | undefined,
  ) {
    super(
      `The data directory ${dataDir} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}. ` +
        'Stop that process, or set DATA_DIR to another directory.',
    );
    this.name = 'DataDirInUseError';
  }
}

/** Exclusive lock of a data directory, held until `release()` or the end of the process, even after a crash. */
export interface DataDirLock {
  /** Real path of the directory. */
  readonly dataDir: string;
  release(): void;
}

/**
 * Locks the data directory for this process.
 *
 * The lock is a kernel lock (fcntl or LockFileEx, held through SQLite), not the existence of a file. The kernel
 * releases the lock with the process, even after `kill -9`, and stale files or reused process ids do not affect it.
 *
 * @param dataDir - the directory; it is created if it does not exist
 * @throws DataDirInUseError if another process, or this one, holds the lock
 */
export function acquireDataDirLock(dataDir: string): DataDirLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  const directory = realpathSync(dataDir);
  const file = join(directory, LOCK_FILE);
  // Creates the lock file with mode 0600. SQLite would make the file world-readable, and a reader's lock would block
  // the owner.
  closeSync(openSync(file, 'a', 0o600));
  // A static import would end a program under an old version of Node before it can say which version it needs.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new DataDirInUseError(directory, readOwner(directory));
    throw error;
  }
  writeFileSync(join(directory, OWNER_FILE), `${process.pid}\n`);
  let isHeld = true;
  return {
    dataDir: directory,
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      database.close();
    },
  };
}

function readOwner(directory: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(directory, OWNER_FILE), 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}
