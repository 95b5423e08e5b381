import { open } from 'node:fs/promises';

/** The running sync of a directory, and the next sync if callers wait for one. */
interface SyncQueue {
  runningSync: Promise<void>;
  nextSync?: Promise<void>;
}

/**
 * Makes the names of files in directories durable, with fsync(2). Concurrent callers for the same directory share one
 * sync, which begins after their changes.
 */
export class DirectorySync {
  private readonly queueByDirectory = new Map<string, SyncQueue>();

  constructor(private readonly syncDirectory: (path: string) => Promise<void> = fsyncDirectory) {}

  /** Resolves when all names that were changed in this directory before the call are durable. */
  sync(path: string): Promise<void> {
    const queue = this.queueByDirectory.get(path);
    if (!queue) return this.startSync(path);
    // The caller needs the next sync, because the running one may have begun before the caller's change.
    queue.nextSync ??= queue.runningSync.then(
      () => this.startSync(path),
      () => this.startSync(path),
    );
    return queue.nextSync;
  }

  private startSync(path: string): Promise<void> {
    const running = this.syncDirectory(path);
    const queue: SyncQueue = { runningSync: running };
    this.queueByDirectory.set(path, queue);
    const end = () => {
      if (!queue.nextSync) this.queueByDirectory.delete(path);
    };
    running.then(end, end);
    return running;
  }
}

async function fsyncDirectory(path: string): Promise<void> {
  // On Windows a directory cannot be opened for fsync.
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
