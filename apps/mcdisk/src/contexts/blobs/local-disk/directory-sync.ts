import { open } from 'node:fs/promises';

/** The running sync of a directory, and the next sync if callers wait for one. */
interface SyncQueue {
  running: Promise<void>;
  next?: Promise<void>;
}

/**
 * Makes the names of files in directories durable, with fsync(2). Concurrent callers for the same directory share one
 * sync, which begins after their changes.
 */
export class DirectorySync {
  private readonly queues = new Map<string, SyncQueue>();

  constructor(private readonly syncDirectory: (path: string) => Promise<void> = fsyncDirectory) {}

  /** Resolves when all names that were changed in this directory before the call are durable. */
  sync(path: string): Promise<void> {
    const queue = this.queues.get(path);
    if (!queue) return this.start(path);
    // The caller needs the next sync, because the running one may have begun before the caller's change.
    queue.next ??= queue.running.then(
      () => this.start(path),
      () => this.start(path),
    );
    return queue.next;
  }

  private start(path: string): Promise<void> {
    const running = this.syncDirectory(path);
    const queue: SyncQueue = { running };
    this.queues.set(path, queue);
    const end = () => {
      if (!queue.next) this.queues.delete(path);
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
